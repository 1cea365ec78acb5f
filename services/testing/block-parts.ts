import { createBlockEncoder } from '../events/encode-block.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import { splitRecord } from '../platform/avro/wire-format.ts';

const { type } = loadSchema('BlockTransfers');

type Columns<Name extends string, Item> = { [column in Name]: Item[] };

/** A `BlockTransfers` event as the schema reads it: columns that a test may spoil before it writes them again. */
export type BlockTransfersPart = {
  chain: string;
  block_number: number;
  block_hash: string;
  part: number;
  parts: number;
  parent_hash: string;
  parent_number: number;
  block_time: number;
  vote_fees: Buffer;
} & Columns<'tx_index' | 'tx_movements' | 'tx_swaps' | 'm_index' | 'm_kind' | 's_index', number> &
  Columns<'asset_decimals' | 'b_tx_index' | 'b_index' | 'b_side', number> &
  Columns<'tx_hash' | 'tx_sender' | 'm_from' | 'm_to' | 'm_asset' | 'm_authority', string> &
  Columns<'s_owner' | 's_gave_asset' | 's_got_asset' | 's_through' | 'asset', string> &
  Columns<'b_hash' | 'b_bridge' | 'b_message' | 'b_far_chain' | 'b_from' | 'b_to' | 'b_asset', string> &
  Columns<'keeps_control' | 'tx_controls' | 'c_index' | 'c_kind' | 'c_by_holder', number> &
  Columns<'c_subject' | 'c_holder' | 'c_party' | 'c_asset' | 'c_detail' | 'c_emitter', string> &
  Columns<'c_amount' | 'm_amount' | 's_gave_amount' | 's_got_amount' | 'b_amount', Buffer>;

/** What the schema reads of an event's record. */
export const readPart = (record: Buffer): BlockTransfersPart =>
  type.fromBuffer(splitRecord(record).body) as BlockTransfersPart;

/** The events of a block, read back. */
export const blockParts = (block: DecodedBlock, bytesMax?: number): BlockTransfersPart[] =>
  createBlockEncoder(1, bytesMax)(block).map(readPart);
