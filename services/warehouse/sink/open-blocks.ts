import type { PlannedPart, PlannedRecord } from './planned-record.ts';

/**
 * So many records after a block began its last part has long come: brokers end an append that takes a minute. It is counted in
 * records because the clocks of two writers differ.
 */
const OPEN_RECORDS_MAX = 1_000_000;

type Open = { readonly key: string; readonly timeUnixMs: number; readonly parts: PlannedPart[] };

/** The outcome of a record. */
type Ended = {
  /** The parts of a block, of one append. */
  readonly whole?: readonly PlannedPart[];
  /** Parts of blocks of which another part can never be stored. */
  readonly torn: readonly PlannedPart[];
};

const NOTHING: Ended = { torn: [] };

/**
 * Puts the parts of blocks together. On brokers the records of two processes' appends take turns in a partition, also those of
 * the same block: a part belongs to the append of its own time that it continues. A block of which a part can never
 * be stored is torn: seen in part it would be taken for the whole.
 */
export class OpenBlocks {
  /** The longest open first. */
  readonly #open = new Set<Open>();

  /** The places in the log of all parts that wait for others, in order. */
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
    // Which block it was a part of cannot be read; of those of its append it is one.
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
    // One between is missing.
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
