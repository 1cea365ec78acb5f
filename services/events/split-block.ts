import type { AssetFact, BlockTransaction, DecodedBlock } from '../investigate/model/block.ts';
import type { BridgeTransfer } from '../investigate/model/bridge-transfer.ts';
import type { ControlEvent } from '../investigate/model/control-event.ts';
import type { Movement, Swap } from '../investigate/model/movement.ts';

/** The limit of a part: a record with headers must fit a broker's default limit of 1 MB. */
export const PART_BYTES_MAX = 900_000;

// Varints, array counts and lengths of a row besides its strings, estimated high.
const ROW_OVERHEAD_BYTES = 64;
const PART_HEAD_BYTES = 1_000;
// The longest of each: a signature, three addresses, a message number.
const BRIDGE_TRANSFER_BYTES = 512;
// The index of rows of the block itself.
const BLOCK_ITSELF: BlockTransaction = { txIndex: -1, hash: '', sender: '' };

/** A transaction, and how many consecutive rows of its part belong to it. */
type TransactionEntry = {
  readonly transaction: BlockTransaction;
  movements: number;
  swaps: number;
  controlEvents: number;
};

/**
 * The rows of one record. It lists only transactions with rows in it, or with nothing but crossings or control
 * events.
 */
export type BlockPart = {
  readonly entries: TransactionEntry[];
  readonly movements: Movement[];
  readonly swaps: Swap[];
  readonly controlEvents: { readonly sender: string; readonly event: ControlEvent }[];
  readonly assets: AssetFact[];
  readonly bridgeTransfers: { readonly hash: string; readonly transfer: BridgeTransfer }[];
};

const movementBytes = (m: Movement): number =>
  ROW_OVERHEAD_BYTES +
  (m.from?.length ?? 0) +
  (m.to?.length ?? 0) +
  m.asset.length +
  (m.authority?.length ?? 0);

const swapBytes = (s: Swap): number =>
  2 * ROW_OVERHEAD_BYTES + s.owner.length + s.gaveAsset.length + s.gotAsset.length + (s.through?.length ?? 0);

const controlBytes = (e: ControlEvent): number =>
  2 * ROW_OVERHEAD_BYTES +
  e.subject.length +
  (e.holder?.length ?? 0) +
  (e.party?.length ?? 0) +
  (e.asset?.length ?? 0) +
  (e.emitter?.length ?? 0) +
  // Foreign text: up to three bytes a character.
  3 * (e.detail?.length ?? 0);

/** Spreads a block over as many parts as it needs. */
class PartWriter {
  readonly parts: BlockPart[] = [];
  readonly #transactions: ReadonlyMap<number, BlockTransaction>;
  readonly #bytesMax: number;
  #part: BlockPart;
  #bytes = 0;
  /** The index of the last row. */
  #entry: TransactionEntry | null = null;

  constructor({ transactions }: DecodedBlock, bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#transactions = new Map(transactions.map((t) => [t.txIndex, t]));
    this.#part = this.#open();
  }

  #open(): BlockPart {
    const part = {
      entries: [],
      movements: [],
      swaps: [],
      controlEvents: [],
      assets: [],
      bridgeTransfers: [],
    };
    this.parts.push(part);
    this.#bytes = PART_HEAD_BYTES;
    this.#entry = null;
    return part;
  }

  /** The part with room for `bytes` more. */
  #roomFor(bytes: number): BlockPart {
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

  /** Opened for a row of `bytes`; null stands for the block itself. */
  #entryOf(txIndex: number | null, bytes: number): TransactionEntry {
    const transaction = txIndex === null ? BLOCK_ITSELF : this.#transactionAt(txIndex);
    const entryBytes = ROW_OVERHEAD_BYTES + transaction.hash.length + transaction.sender.length;
    const { entries } = this.#roomFor(bytes + entryBytes);
    if (this.#entry?.transaction === transaction) {
      this.#bytes -= entryBytes;
      return this.#entry;
    }
    this.#entry = { transaction, movements: 0, swaps: 0, controlEvents: 0 };
    entries.push(this.#entry);
    return this.#entry;
  }

  addMovement(movement: Movement): void {
    this.#entryOf(movement.txIndex, movementBytes(movement)).movements += 1;
    this.#part.movements.push(movement);
  }

  addSwap(swap: Swap): void {
    this.#entryOf(swap.txIndex, swapBytes(swap)).swaps += 1;
    this.#part.swaps.push(swap);
  }

  addControlEvent(event: ControlEvent): void {
    const entry = this.#entryOf(event.txIndex, controlBytes(event));
    entry.controlEvents += 1;
    this.#part.controlEvents.push({ sender: entry.transaction.sender, event });
  }

  addAsset(fact: AssetFact): void {
    this.#roomFor(fact.asset.length + ROW_OVERHEAD_BYTES).assets.push(fact);
  }

  addBridgeTransfer(transfer: BridgeTransfer): void {
    const { hash } = this.#transactionAt(transfer.txIndex);
    this.#roomFor(BRIDGE_TRANSFER_BYTES).bridgeTransfers.push({ hash, transfer });
  }

  /** For a transaction without other rows, which must be listed with it. */
  addLoneBridgeTransfer(transfer: BridgeTransfer): void {
    const { transaction } = this.#entryOf(transfer.txIndex, BRIDGE_TRANSFER_BYTES);
    this.#part.bridgeTransfers.push({ hash: transaction.hash, transfer });
  }
}

/**
 * A block's rows, split so that each part encodes to less than `bytesMax` bytes. There is always one part at
 * least, so that an empty block counts as read. Throws `RangeError` if a row names a transaction that the block
 * does not list.
 */
export const splitBlock = (block: DecodedBlock, bytesMax: number): readonly BlockPart[] => {
  const writer = new PartWriter(block, bytesMax);
  const swaps = Map.groupBy(block.swaps, (s) => s.txIndex);
  const controlEvents = Map.groupBy(block.controlEvents, (e) => e.txIndex);
  let openTx: number | null = null;
  const closeTx = (): void => {
    if (openTx === null) return;
    for (const swap of swaps.get(openTx) ?? []) writer.addSwap(swap);
    for (const event of controlEvents.get(openTx) ?? []) writer.addControlEvent(event);
    controlEvents.delete(openTx);
  };
  for (const movement of block.movements) {
    if (movement.txIndex !== openTx) closeTx();
    openTx = movement.txIndex;
    writer.addMovement(movement);
  }
  closeTx();
  for (const fact of block.assets) writer.addAsset(fact);
  // Transactions without movements, each listed once.
  const crossings = Map.groupBy(block.bridgeTransfers, (b) => b.txIndex);
  const moved = new Set(block.movements.map((movement) => movement.txIndex));
  for (const [txIndex, events] of controlEvents) {
    for (const event of events) writer.addControlEvent(event);
    for (const transfer of crossings.get(txIndex) ?? []) writer.addLoneBridgeTransfer(transfer);
    crossings.delete(txIndex);
  }
  for (const [txIndex, transfers] of crossings) {
    for (const transfer of transfers) {
      if (moved.has(txIndex)) writer.addBridgeTransfer(transfer);
      else writer.addLoneBridgeTransfer(transfer);
    }
  }
  return writer.parts;
};
