import type { DecodedBlock } from '../investigate/model/block.ts';
import { BRIDGE_SIDES } from '../investigate/model/bridge-transfer.ts';
import {
  CONTROL_COVERAGES,
  CONTROL_KINDS,
  type ControlCoverage,
} from '../investigate/model/control-event.ts';
import { MOVEMENT_KINDS } from '../investigate/model/movement.ts';
import { HEADER_BYTES, writeHeader } from '../platform/avro/wire-format.ts';
import { AvroWriter } from './avro-writer.ts';
import { type BlockPart, PART_BYTES_MAX, splitBlock } from './split-block.ts';

const KIND_NUMBER = new Map(MOVEMENT_KINDS.map((kind, number) => [kind, number]));
const CONTROL_NUMBER = new Map(CONTROL_KINDS.map((kind, number) => [kind, number]));

/** Stands for the transaction's sender, the most frequent holder and caller. */
const SENDER = '*';

type Place = { readonly part: number; readonly parts: number };

/** Everything before the columns. */
const writeHead = (out: AvroWriter, block: DecodedBlock, { part, parts }: Place): void => {
  out.string(block.chain);
  out.integer(block.number);
  out.string(block.hash);
  out.integer(part);
  out.integer(parts);
  out.string(block.parentHash);
  out.integer(block.parentNumber ?? -1);
  out.integer(block.timeUnixSeconds ?? 0);
  out.amount(part === 0 ? block.voteFeesRaw : 0n);
};

/** Column by column, in the order of `schemas/avro/BlockTransfers.avsc`. */
const writeColumns = (out: AvroWriter, part: BlockPart): void => {
  const { entries, movements, swaps, assets, bridgeTransfers } = part;
  out.array(entries, ({ transaction }) => out.integer(transaction.txIndex));
  out.array(entries, ({ transaction }) => out.string(transaction.hash));
  out.array(entries, ({ transaction }) => out.string(transaction.sender));
  out.array(entries, (entry) => out.integer(entry.movements));
  out.array(entries, (entry) => out.integer(entry.swaps));

  out.array(movements, (m) => out.integer(m.index));
  out.array(movements, (m) => out.integer(KIND_NUMBER.get(m.kind) ?? 0));
  out.array(movements, (m) => out.string(m.from ?? ''));
  out.array(movements, (m) => out.string(m.to ?? ''));
  out.array(movements, (m) => out.string(m.asset));
  out.array(movements, (m) => out.amount(m.amountRaw));
  out.array(movements, (m) => out.string(m.authority ?? ''));

  out.array(swaps, (s) => out.integer(s.index));
  out.array(swaps, (s) => out.string(s.owner));
  out.array(swaps, (s) => out.string(s.gaveAsset));
  out.array(swaps, (s) => out.amount(s.gaveRaw));
  out.array(swaps, (s) => out.string(s.gotAsset));
  out.array(swaps, (s) => out.amount(s.gotRaw));
  out.array(swaps, (s) => out.string(s.through ?? ''));

  out.array(assets, (fact) => out.string(fact.asset));
  out.array(assets, (fact) => out.integer(fact.decimals));

  out.array(bridgeTransfers, ({ transfer }) => out.integer(transfer.txIndex));
  out.array(bridgeTransfers, ({ transfer }) => out.integer(transfer.index));
  out.array(bridgeTransfers, ({ hash }) => out.string(hash));
  out.array(bridgeTransfers, ({ transfer }) => out.string(transfer.bridge));
  out.array(bridgeTransfers, ({ transfer }) => out.integer(BRIDGE_SIDES.indexOf(transfer.side)));
  out.array(bridgeTransfers, ({ transfer }) => out.string(transfer.messageId ?? ''));
  out.array(bridgeTransfers, ({ transfer }) => out.string(transfer.farChain ?? ''));
  out.array(bridgeTransfers, ({ transfer }) => out.string(transfer.from ?? ''));
  out.array(bridgeTransfers, ({ transfer }) => out.string(transfer.to ?? ''));
  out.array(bridgeTransfers, ({ transfer }) => out.string(transfer.asset ?? ''));
  out.array(bridgeTransfers, ({ transfer }) => out.amount(transfer.amountRaw ?? 0n));
};

/** The columns behind those of bridges. */
const writeControl = (
  out: AvroWriter,
  { entries, controlEvents }: BlockPart,
  coverage: ControlCoverage,
): void => {
  const kept = coverage === 'none' ? [] : [CONTROL_COVERAGES.indexOf(coverage)];
  out.array(kept, (position) => out.integer(position));
  out.array(controlEvents.length === 0 ? [] : entries, (entry) => out.integer(entry.controlEvents));
  const party = (address: string | null, sender: string): string =>
    address === sender ? SENDER : (address ?? '');
  out.array(controlEvents, ({ event }) => out.integer(event.index));
  out.array(controlEvents, ({ event }) => out.integer(CONTROL_NUMBER.get(event.kind) ?? 0));
  out.array(controlEvents, ({ event }) => out.string(event.subject));
  out.array(controlEvents, ({ event, sender }) => out.string(party(event.holder, sender)));
  out.array(controlEvents, ({ event, sender }) => out.string(party(event.party, sender)));
  out.array(controlEvents, ({ event }) => out.string(event.asset ?? ''));
  out.array(controlEvents, ({ event }) => out.amount(event.amountRaw));
  out.array(controlEvents, ({ event }) => out.string(event.detail ?? ''));
  out.array(controlEvents, ({ event }) => out.string(event.emitter ?? ''));
  out.array(controlEvents, ({ event }) => out.integer(event.byHolder ? 1 : 0));
};

/** Encodes parts in the Confluent wire format. */
const createPartEncoder = (schemaId: number) => {
  const out = new AvroWriter();
  const header = Buffer.alloc(HEADER_BYTES);
  writeHeader(header, schemaId);
  return (block: DecodedBlock, part: BlockPart, place: Place): Buffer => {
    out.begin();
    out.raw(header);
    writeHead(out, block, place);
    writeColumns(out, part);
    writeControl(out, part, block.controlCoverage);
    return out.take();
  };
};

/**
 * `schemaId` is that of `BlockTransfers`. Returns a block's records, each below `bytesMax` bytes unless a single
 * row is larger. Throws `RangeError` if a row names a transaction that the block does not list.
 */
export const createBlockEncoder = (schemaId: number, bytesMax = PART_BYTES_MAX) => {
  const encodePart = createPartEncoder(schemaId);
  return (block: DecodedBlock): Buffer[] => {
    const parts = splitBlock(block, bytesMax);
    return parts.map((rows, part) => encodePart(block, rows, { part, parts: parts.length }));
  };
};

export type BlockEncoder = ReturnType<typeof createBlockEncoder>;

/**
 * `schemaId` is that of `TransactionTransfers`. Takes a block reduced to one transaction; null if it exceeds a
 * record's limit.
 */
export const createTransactionEncoder = (schemaId: number) => {
  const encodePart = createPartEncoder(schemaId);
  return (block: DecodedBlock): Buffer | null => {
    const [rows, ...others] = splitBlock(block, PART_BYTES_MAX);
    return rows && others.length === 0 ? encodePart(block, rows, { part: 0, parts: 0 }) : null;
  };
};

export type TransactionEncoder = ReturnType<typeof createTransactionEncoder>;
