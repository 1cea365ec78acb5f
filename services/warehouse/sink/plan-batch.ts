import type { BlockHead } from '../../events/block-head.ts';
import type { LoneTransaction } from '../../events/lone-transaction.ts';

/** A record as the planner sees it. */
export type PlannedRecord = { readonly offset: number } & (
  | PartRecord
  | TransactionRecord
  | RetractionRecord
  | RefusedRecord
);

/** A part of a block. */
type PartRecord = Only<'head', { readonly head: BlockHead; readonly sequence: number }>;
/** A transaction without its block. */
type TransactionRecord = Only<
  'transaction',
  { readonly transaction: LoneTransaction; readonly sequence: number }
>;
/** The sequences of the events that it takes back. */
type RetractionRecord = Only<'retracts', { readonly retracts: readonly number[] }>;
/** Why it can never be stored. */
type RefusedRecord = Only<'refused', { readonly refused: string }>;

type Only<Kind extends string, T> = T & {
  readonly [other in Exclude<'head' | 'transaction' | 'retracts' | 'refused', Kind>]?: undefined;
};

/** A part of a block that the tables show, and the sequence of the event it came from. */
export type StoredPart = Pick<BlockHead, 'part' | 'parts'> & { readonly sequence: number };

/** What the tables show of the block that this is a part of; empty where they show nothing. */
export type StoredAs = (head: BlockHead) => readonly StoredPart[];

/** Whether the tables show a transaction that came without its block: itself, or in its block. */
export type IsShown = (transaction: LoneTransaction) => boolean;

/**
 * What will be inserted, written down before it is: the records from the committed offset to `until` (exclusive),
 * without those at the offsets in `skip`. After a crash exactly this is repeated, so that the engine knows the batch
 * by its token. One commit keeps it as metadata.
 */
export type Intent = { readonly until: number; readonly skip: readonly number[] };

export type Plan = {
  readonly intent: Intent;
  readonly duplicates: number;
  readonly deadLetters: readonly { offset: number; reason: string }[];
};

export const hashKey = ({ chain, blockHash }: Pick<BlockHead, 'chain' | 'blockHash'>): string =>
  `${chain}/${blockHash}`;

export const blockKey = ({ chain, blockNumber }: Pick<BlockHead, 'chain' | 'blockNumber'>): string =>
  `${chain}/${blockNumber}`;

/** A broker keeps at most 4,096 bytes of metadata; a skipped range costs at most two offsets and punctuation. */
const SKIP_RANGES_MAX = 100;

/**
 * Cuts a run of records behind the last whole block, and leaves out what is stored already or can never be. What was
 * taken back is not stored any more: the same block is new when it comes again.
 * Returns null when the run does not hold one whole block: read more.
 */
export const planBatch = (
  records: readonly PlannedRecord[],
  storedAs: StoredAs,
  isShown: IsShown = () => false,
): Plan | null => {
  const shown = new ShownParts(storedAs);
  const lone = new LoneTransactions(records, isShown);
  const hasMet = ({ head, transaction }: PlannedRecord): boolean =>
    head ? shown.has(head) : transaction !== undefined && lone.hasMet(transaction);
  const skip: number[] = [];
  const deadLetters: { offset: number; reason: string }[] = [];
  let ranges = 0;
  let whole = { until: -1, skipped: 0, dead: 0 };
  for (const record of records) {
    const { offset, head, refused } = record;
    const duplicate = hasMet(record);
    if (duplicate || refused !== undefined) {
      if (skip.at(-1) !== offset - 1) ranges += 1;
      if (ranges > SKIP_RANGES_MAX) break;
      skip.push(offset);
    } else if (head) shown.add(head, record.sequence);
    shown.retract(record.retracts);
    if (refused !== undefined) deadLetters.push({ offset, reason: refused });
    const endsBlock = head === undefined || head.part === head.parts - 1;
    if (endsBlock) whole = { until: offset + 1, skipped: skip.length, dead: deadLetters.length };
  }
  if (whole.until < 0) return null;
  return {
    intent: { until: whole.until, skip: skip.slice(0, whole.skipped) },
    duplicates: whole.skipped - whole.dead,
    deadLetters: deadLetters.slice(0, whole.dead),
  };
};

/** Which parts the tables will show, as a run of records goes on. */
class ShownParts {
  readonly #storedAs: StoredAs;
  readonly #placed = new Map<string, StoredPart[]>();
  readonly #retracted = new Set<number>();

  constructor(storedAs: StoredAs) {
    this.#storedAs = storedAs;
  }

  /**
   * Blocks are shown whole: where this one is under another number of parts, as decoded with more or less known of it, no
   * part of it is new.
   */
  has(head: BlockHead): boolean {
    const shows = ({ part, parts, sequence }: StoredPart): boolean =>
      (part === head.part || parts !== head.parts) && !this.#retracted.has(sequence);
    return this.#storedAs(head).some(shows) || (this.#placed.get(hashKey(head))?.some(shows) ?? false);
  }

  add(head: BlockHead, sequence: number): void {
    const { part, parts } = head;
    const key = hashKey(head);
    const placed = this.#placed.get(key);
    if (placed) placed.push({ part, parts, sequence });
    else this.#placed.set(key, [{ part, parts, sequence }]);
  }

  retract(sequences: readonly number[] = []): void {
    for (const sequence of sequences) this.#retracted.add(sequence);
  }
}

/** Which transactions need no row of their own any more, as a run of records goes on. */
class LoneTransactions {
  readonly #isShown: IsShown;
  readonly #blocks: ReadonlySet<string>;
  readonly #met = new Set<string>();

  constructor(records: readonly PlannedRecord[], isShown: IsShown) {
    this.#isShown = isShown;
    // Also a block behind it, even of the next batch: it is in the log and replaces the transaction at once.
    this.#blocks = new Set(records.flatMap(({ head }) => (head ? [blockKey(head)] : [])));
  }

  /** Whether its block or itself is shown or in the run; from now on it is. */
  hasMet(transaction: LoneTransaction): boolean {
    const key = `${transaction.chain}/${transaction.hash}`;
    const met = this.#met.has(key) || this.#blocks.has(blockKey(transaction)) || this.#isShown(transaction);
    this.#met.add(key);
    return met;
  }
}

/** Offsets as `[first, count, first, count, …]`: duplicates come in runs. */
const toRanges = (offsets: readonly number[]): number[] => {
  const ranges: number[] = [];
  let next = Number.NaN;
  for (const offset of offsets) {
    if (offset === next) ranges[ranges.length - 1] = (ranges.at(-1) ?? 0) + 1;
    else ranges.push(offset, 1);
    next = offset + 1;
  }
  return ranges;
};

const fromRanges = (ranges: readonly number[]): number[] => {
  const offsets: number[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    const first = ranges[i] ?? 0;
    for (let k = 0; k < (ranges[i + 1] ?? 0); k += 1) offsets.push(first + k);
  }
  return offsets;
};

export const writeIntent = ({ until, skip }: Intent): string =>
  JSON.stringify({ until, skip: toRanges(skip) });

/** The intent in a commit's metadata; null when the commit has none (the batch before it was finished). */
export const readIntent = (metadata: string): Intent | null => {
  if (metadata === '') return null;
  const { until, skip } = JSON.parse(metadata) as { until: number; skip: number[] };
  return { until, skip: fromRanges(skip) };
};
