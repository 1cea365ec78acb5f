import { countRanges, type Intent } from './intent.ts';
import { OpenBlocks } from './open-blocks.ts';
import type { BlockName, PlannedPart, PlannedRecord, Shown } from './planned-record.ts';
import { contradicts, ShownRows } from './shown-rows.ts';

export type DeadLetter = { readonly offset: number; readonly reason: string };

export type Plan = {
  readonly intent: Intent;
  /** Sequences of the events that this batch retracts, and of those that the tables show and it replaces. */
  readonly hide: readonly number[];
  /** Blocks that are final although the head's copy of them is the stored one. */
  readonly keep: readonly BlockName[];
  readonly duplicates: number;
  readonly deadLetters: readonly DeadLetter[];
};

/** A broker keeps at most 4,096 bytes of metadata. A range costs at most two offsets and punctuation. */
const SKIP_RANGES_MAX = 100;
/** They are recorded twice: those carried up to a batch, and those after it. */
const CARRIED_RANGES_MAX = 40;

const TORN = 'another part of its block cannot be stored';
const CONTRADICTED = 'another block stands in its place, and both are said to be final';

/** Where a batch may end, and how much of the run so far belongs to it. */
type Cut = {
  readonly until: number;
  readonly carried: readonly number[];
  readonly skipped: number;
  readonly hidden: number;
  readonly kept: number;
  readonly dead: number;
};

/**
 * Cuts a run of records after the last whole block, and leaves out records that are already stored or never
 * can be. A retracted block is not stored any more, and is new when it comes again. A final block is not
 * retracted. When the parts of two blocks are interleaved, so that one is always open, the parts of open
 * blocks are carried into the next batch. Returns null when the run does not contain one whole block: read
 * more.
 */
export const planBatch = (records: readonly PlannedRecord[], shown: Shown): Plan | null => {
  const run = new PlannedRun(shown);
  for (const record of records) if (!run.take(record)) break;
  return run.plan();
};

/** The plan for the records of a run so far, and where its batch may end. */
class PlannedRun {
  readonly #open = new OpenBlocks();
  readonly #rows: ShownRows;
  readonly #skip = new Skipped();
  readonly #hide: number[] = [];
  readonly #keep: BlockName[] = [];
  readonly #deadLetters: DeadLetter[] = [];
  #cut: Cut | null = null;

  constructor(shown: Shown) {
    this.#rows = new ShownRows(shown);
  }

  /** False when a longer batch would skip more than a commit's metadata can hold. */
  take(record: PlannedRecord): boolean {
    const { whole, torn } = this.#open.take(record);
    for (const { offset } of torn) this.#refuse(offset, TORN);
    if (whole) this.#placeBlock(whole);
    this.#place(record);
    if (this.#cut && this.#skip.ranges > SKIP_RANGES_MAX) return false;
    if (!record.head || whole !== undefined || torn.length > 0) this.#cutBehind(record);
    return true;
  }

  plan(): Plan | null {
    if (!this.#cut) return null;
    const { until, carried, skipped, hidden, kept, dead } = this.#cut;
    return {
      intent: { until, skip: this.#skip.offsets.slice(0, skipped).sort((a, b) => a - b), carried },
      hide: this.#hide.slice(0, hidden),
      keep: this.#keep.slice(0, kept),
      duplicates: skipped - dead,
      deadLetters: this.#deadLetters.slice(0, dead).sort((a, b) => a.offset - b.offset),
    };
  }

  #placeBlock(parts: readonly PlannedPart[]): void {
    const displaced = this.#rows.placeBlock(parts);
    for (const offset of displaced.skip) {
      if (displaced.isContradicted) this.#refuse(offset, CONTRADICTED);
      else this.#skip.add(offset);
    }
    this.#hide.push(...displaced.hide);
    this.#keep.push(...displaced.keep);
  }

  #place(record: PlannedRecord): void {
    if (record.refused !== undefined) this.#refuse(record.offset, record.refused);
    else if (record.transaction && !this.#rows.placeTransaction(record)) this.#skip.add(record.offset);
    else if (record.retracts) this.#hide.push(...this.#rows.takeBack(record));
  }

  #refuse(offset: number, reason: string): void {
    this.#skip.add(offset);
    this.#deadLetters.push({ offset, reason });
  }

  #cutBehind({ offset }: PlannedRecord): void {
    const carried = this.#open.offsets();
    if (!isBetter(carried, this.#cut)) return;
    this.#cut = {
      until: offset + 1,
      carried,
      skipped: this.#skip.offsets.length,
      hidden: this.#hide.length,
      kept: this.#keep.length,
      dead: this.#deadLetters.length,
    };
  }
}

/** Later is better, unless blocks are open there that are not open at an earlier possible end. */
const isBetter = (carried: readonly number[], cut: Cut | null): boolean =>
  carried.length === 0 || ((!cut || cut.carried.length > 0) && countRanges(carried) <= CARRIED_RANGES_MAX);

/** Records of a run that can never be stored, once the tables show all others. */
export const deadLettersOf = (records: readonly PlannedRecord[], shown: Shown): readonly DeadLetter[] => {
  const open = new OpenBlocks();
  return records.flatMap((record) => {
    const { torn, whole = [] } = open.take(record);
    const contradicted = whole.filter((part) => contradicts(shown.partsAt(part.head), part, shown));
    const letters = [
      ...torn.map(({ offset }) => ({ offset, reason: TORN })),
      ...contradicted.map(({ offset }) => ({ offset, reason: CONTRADICTED })),
    ];
    return record.refused === undefined
      ? letters
      : [...letters, { offset: record.offset, reason: record.refused }];
  });
};

/** The offsets that are left out, in the order of discovery, and how many ranges they make. */
class Skipped {
  readonly offsets: number[] = [];
  readonly #all = new Set<number>();
  ranges = 0;

  add(offset: number): void {
    this.offsets.push(offset);
    this.#all.add(offset);
    this.ranges += 1 - Number(this.#all.has(offset - 1)) - Number(this.#all.has(offset + 1));
  }
}
