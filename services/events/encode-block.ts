import type { BlockTransaction, DecodedBlock } from '../investigate/model/block.ts';
import { BRIDGE_SIDES, type BridgeTransfer } from '../investigate/model/bridge-transfer.ts';
import { MOVEMENT_KINDS, type Movement, type Swap } from '../investigate/model/movement.ts';
import type { AvroSchema } from '../platform/avro/schemas.ts';
import { HEADER_BYTES, writeHeader } from '../platform/avro/wire-format.ts';

/** A part stays under this many bytes, so that a record fits a broker's default limit of 1 MB with room for headers. */
export const PART_BYTES_MAX = 900_000;

const KIND_NUMBER = new Map(MOVEMENT_KINDS.map((kind, number) => [kind, number]));
const EMPTY = Buffer.alloc(0);
// Varints, array block counts and lengths that a row costs besides its strings; measured on the high side.
const ROW_OVERHEAD_BYTES = 64;
// What rows of the block itself stand under.
const BLOCK_ITSELF: BlockTransaction = { txIndex: -1, hash: '', sender: '' };
const PART_HEAD_BYTES = 1_000;

/** Unsigned little-endian bytes without trailing zeros: what the warehouse pads again to UInt256. */
export const amountBytes = (amountRaw: bigint): Buffer => {
  if (amountRaw === 0n) return EMPTY;
  if (amountRaw < 0n) throw new RangeError('an amount is never negative');
  if (amountRaw <= 0xffff_ffffn) {
    const value = Number(amountRaw);
    const length = value > 0xff_ffff ? 4 : value > 0xffff ? 3 : value > 0xff ? 2 : 1;
    const bytes = Buffer.allocUnsafe(length);
    bytes.writeUIntLE(value, 0, length);
    return bytes;
  }
  const hex = amountRaw.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').reverse();
};

/** The columns of one part; filled row by row, in the order of `schemas/avro/BlockTransfers.avsc`. */
const emptyPart = (block: DecodedBlock) => ({
  chain: block.chain,
  block_number: block.number,
  block_hash: block.hash,
  part: 0,
  parts: 1,
  parent_hash: block.parentHash,
  parent_number: block.parentNumber ?? -1,
  block_time: block.timeUnixSeconds ?? 0,
  vote_fees: EMPTY as Buffer,
  tx_index: [] as number[],
  tx_hash: [] as string[],
  tx_sender: [] as string[],
  tx_movements: [] as number[],
  tx_swaps: [] as number[],
  m_index: [] as number[],
  m_kind: [] as number[],
  m_from: [] as string[],
  m_to: [] as string[],
  m_asset: [] as string[],
  m_amount: [] as Buffer[],
  m_authority: [] as string[],
  s_index: [] as number[],
  s_owner: [] as string[],
  s_gave_asset: [] as string[],
  s_gave_amount: [] as Buffer[],
  s_got_asset: [] as string[],
  s_got_amount: [] as Buffer[],
  s_through: [] as string[],
  asset: [] as string[],
  asset_decimals: [] as number[],
  b_tx_index: [] as number[],
  b_index: [] as number[],
  b_hash: [] as string[],
  b_bridge: [] as string[],
  b_side: [] as number[],
  b_message: [] as string[],
  b_far_chain: [] as string[],
  b_from: [] as string[],
  b_to: [] as string[],
  b_asset: [] as string[],
  b_amount: [] as Buffer[],
});

export type BlockTransfersPart = ReturnType<typeof emptyPart>;

const movementBytes = (m: Movement): number =>
  ROW_OVERHEAD_BYTES +
  (m.from?.length ?? 0) +
  (m.to?.length ?? 0) +
  m.asset.length +
  (m.authority?.length ?? 0);

const swapBytes = (s: Swap): number =>
  2 * ROW_OVERHEAD_BYTES + s.owner.length + s.gaveAsset.length + s.gotAsset.length + (s.through?.length ?? 0);

/** One row more for the transaction that was opened last. */
const countLast = (counts: number[]): void => {
  const last = counts.length - 1;
  counts[last] = (counts[last] ?? 0) + 1;
};

const addMovement = (part: BlockTransfersPart, m: Movement): void => {
  countLast(part.tx_movements);
  part.m_index.push(m.index);
  part.m_kind.push(KIND_NUMBER.get(m.kind) ?? 0);
  part.m_from.push(m.from ?? '');
  part.m_to.push(m.to ?? '');
  part.m_asset.push(m.asset);
  part.m_amount.push(amountBytes(m.amountRaw));
  part.m_authority.push(m.authority ?? '');
};

const addSwap = (part: BlockTransfersPart, s: Swap): void => {
  countLast(part.tx_swaps);
  part.s_index.push(s.index);
  part.s_owner.push(s.owner);
  part.s_gave_asset.push(s.gaveAsset);
  part.s_gave_amount.push(amountBytes(s.gaveRaw));
  part.s_got_asset.push(s.gotAsset);
  part.s_got_amount.push(amountBytes(s.gotRaw));
  part.s_through.push(s.through ?? '');
};

// The longest of each: a signature, three addresses, a number of a message.
const BRIDGE_TRANSFER_BYTES = 512;

const addBridgeTransfer = (part: BlockTransfersPart, hash: string, t: BridgeTransfer): void => {
  part.b_tx_index.push(t.txIndex);
  part.b_index.push(t.index);
  part.b_hash.push(hash);
  part.b_bridge.push(t.bridge);
  part.b_side.push(BRIDGE_SIDES.indexOf(t.side));
  part.b_message.push(t.messageId ?? '');
  part.b_far_chain.push(t.farChain ?? '');
  part.b_from.push(t.from ?? '');
  part.b_to.push(t.to ?? '');
  part.b_asset.push(t.asset ?? '');
  part.b_amount.push(amountBytes(t.amountRaw ?? 0n));
};

/** Spreads a block over as many parts as its bytes need; a part lists only the transactions it has rows of. */
class PartWriter {
  readonly parts: BlockTransfersPart[] = [];
  readonly #block: DecodedBlock;
  readonly #transactions: ReadonlyMap<number, BlockTransaction>;
  readonly #bytesMax: number;
  #part: BlockTransfersPart;
  #bytes = 0;
  #lastTx: number | null = null;

  constructor(block: DecodedBlock, bytesMax: number) {
    this.#block = block;
    this.#bytesMax = bytesMax;
    this.#transactions = new Map(block.transactions.map((t) => [t.txIndex, t]));
    this.#part = this.#open();
  }

  #open(): BlockTransfersPart {
    const part = emptyPart(this.#block);
    this.parts.push(part);
    this.#bytes = PART_HEAD_BYTES;
    this.#lastTx = null;
    return part;
  }

  /** The part that has room for `bytes` more. */
  roomFor(bytes: number): BlockTransfersPart {
    const isEmpty = this.#bytes === PART_HEAD_BYTES;
    if (!isEmpty && this.#bytes + bytes > this.#bytesMax) this.#part = this.#open();
    this.#bytes += bytes;
    return this.#part;
  }

  #transactionAt(txIndex: number): BlockTransaction {
    const transaction = this.#transactions.get(txIndex);
    if (!transaction)
      throw new RangeError(`a row names transaction ${txIndex}, which the block does not list`);
    return transaction;
  }

  hashOf(txIndex: number): string {
    return this.#transactionAt(txIndex).hash;
  }

  /** The part for a row of this transaction, which is then the last one the part lists; null for the block itself. */
  rowOf(txIndex: number | null, bytes: number): BlockTransfersPart {
    const transaction = txIndex === null ? BLOCK_ITSELF : this.#transactionAt(txIndex);
    const txBytes = ROW_OVERHEAD_BYTES + transaction.hash.length + transaction.sender.length;
    const part = this.roomFor(bytes + txBytes);
    if (this.#lastTx === transaction.txIndex) {
      this.#bytes -= txBytes;
      return part;
    }
    this.#lastTx = transaction.txIndex;
    part.tx_index.push(transaction.txIndex);
    part.tx_hash.push(transaction.hash);
    part.tx_sender.push(transaction.sender);
    part.tx_movements.push(0);
    part.tx_swaps.push(0);
    return part;
  }
}

/**
 * The columns of a block, split so that each part encodes to less than `bytesMax` bytes. Always at least one part,
 * so that an empty block is known to have been read.
 */
export const blockParts = (block: DecodedBlock, bytesMax = PART_BYTES_MAX): BlockTransfersPart[] => {
  const writer = new PartWriter(block, bytesMax);
  const swaps = Map.groupBy(block.swaps, (s) => s.txIndex);
  let openTx: number | null = null;
  const closeTx = (): void => {
    if (openTx === null) return;
    for (const swap of swaps.get(openTx) ?? []) {
      addSwap(writer.rowOf(swap.txIndex, swapBytes(swap)), swap);
    }
  };
  for (const movement of block.movements) {
    if (movement.txIndex !== openTx) closeTx();
    openTx = movement.txIndex;
    addMovement(writer.rowOf(movement.txIndex, movementBytes(movement)), movement);
  }
  closeTx();
  for (const fact of block.assets) {
    const part = writer.roomFor(fact.asset.length + ROW_OVERHEAD_BYTES);
    part.asset.push(fact.asset);
    part.asset_decimals.push(fact.decimals);
  }
  for (const transfer of block.bridgeTransfers)
    addBridgeTransfer(writer.roomFor(BRIDGE_TRANSFER_BYTES), writer.hashOf(transfer.txIndex), transfer);
  const { parts } = writer;
  for (const [part, columns] of parts.entries()) Object.assign(columns, { part, parts: parts.length });
  if (parts[0]) parts[0].vote_fees = amountBytes(block.voteFeesRaw);
  return parts;
};

/** Encodes columns of one schema in the Confluent wire format. */
const createPartEncoder = (schema: AvroSchema, schemaId: number) => {
  // One scratch buffer for all blocks: avsc says how much was missing, and the part's copy is exact.
  let scratch = Buffer.allocUnsafe(1 << 20);
  return (part: BlockTransfersPart): Buffer => {
    let end = schema.type.encode(part, scratch, HEADER_BYTES);
    if (end < 0) {
      scratch = Buffer.allocUnsafe(scratch.length - end + HEADER_BYTES);
      end = schema.type.encode(part, scratch, HEADER_BYTES);
    }
    writeHeader(scratch, schemaId);
    return Buffer.from(scratch.subarray(0, end));
  };
};

/** `schema` is that of `BlockTransfers`. */
export const createBlockEncoder = (schema: AvroSchema, schemaId: number) => {
  const encodePart = createPartEncoder(schema, schemaId);
  return (block: DecodedBlock): Buffer[] => blockParts(block).map(encodePart);
};

export type BlockEncoder = ReturnType<typeof createBlockEncoder>;

/**
 * `schema` is that of `TransactionTransfers`. Takes a block that was cut down to one transaction; gives null where that
 * alone passes what a record may hold.
 */
export const createTransactionEncoder = (schema: AvroSchema, schemaId: number) => {
  const encodePart = createPartEncoder(schema, schemaId);
  return (block: DecodedBlock): Buffer | null => {
    const [part, ...others] = blockParts(block);
    return part && others.length === 0 ? encodePart({ ...part, parts: 0 }) : null;
  };
};

export type TransactionEncoder = ReturnType<typeof createTransactionEncoder>;
