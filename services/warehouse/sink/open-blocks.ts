import type { PlannedPart, PlannedRecord } from './planned-record.ts';

/**
 * After this many records a block's last part must have arrived, because brokers abort an append that takes a
 * minute. Counted in records, because the clocks of two writers differ.
 */
const OPEN_RECORDS_MAX = 1_000_000;

type Open = { readonly key: string; readonly timeUnixMs: number; readonly parts: PlannedPart[] };

/** The outcome of a record. */
type Ended = {
  /** The parts of a block from one append. */
  readonly whole?: readonly PlannedPart[];
  /** Parts of blocks with a part that can never be stored. */
  readonly torn: readonly PlannedPart[];
};

const NOTHING: Ended = { torn: [] };

/**
 * Assembles blocks from their parts. On brokers the records of two appends may be interleaved in a partition,
 * even for the same block. A part belongs to the append with its own time that it continues. A block with a
 * part that can never be stored is torn, because a part alone would look like the whole.
 */
export class OpenBlocks {
  /** The longest open first. */
  readonly #open = new Set<Open>();

  /** The log positions of all parts that wait for others, in order. */
  offsets(): number[] {
    return [...this.#open].flatMap(({ parts }) => parts.map((part) => part.offset)).sort((a, b) => a - b);
  }

  take(record: PlannedRecord): Ended {
    const late = this.#takeLate(record.offset);
    const ended = this.#takeInTime(record);
    return late.length === 0 ? ended : { ...ended, torn: [...late, ...ended.torn] };
  }

  #takeInTime(record: PlannedRecord): Ended {
    if (record.head) return this.#takePart(record);
    // The record cannot be read, so any block of its append may be the one it belongs to.
    if (record.refused !== undefined)
      return { torn: this.#tear((open) => open.timeUnixMs === record.timeUnixMs) };
    return NOTHING;
  }

  #takePart(record: PlannedPart): Ended {
    const { timeUnixMs } = record;
    const { chain, blockHash, part, parts } = record.head;
    if (parts === 1) return { whole: [record], torn: [] };
    const key = `${chain}/${blockHash}/${parts}/${timeUnixMs}`;
    if (part === 0) {
      this.#open.add({ key, timeUnixMs, parts: [record] });
      return NOTHING;
    }
    const open = [...this.#open].find((one) => one.key === key && one.parts.length === part);
    // A part in between is missing.
    if (!open) return { torn: [...this.#tear((one) => one.key === key), record] };
    open.parts.push(record);
    if (open.parts.length < parts) return NOTHING;
    this.#open.delete(open);
    return { whole: open.parts, torn: [] };
  }

  #takeLate(offset: number): PlannedPart[] {
    const [first] = this.#open;
    if ((first?.parts[0]?.offset ?? offset) >= offset - OPEN_RECORDS_MAX) return [];
    return this.#tear((open) => (open.parts[0]?.offset ?? offset) < offset - OPEN_RECORDS_MAX);
  }

  #tear(isTorn: (open: Open) => boolean): PlannedPart[] {
    const torn = [...this.#open].filter(isTorn);
    for (const open of torn) this.#open.delete(open);
    return torn.flatMap(({ parts }) => parts);
  }
}
