import type { Codec } from '../platform/avro/codec.ts';
import type { AppendRecord, EventLog } from '../platform/event-log/event-log.ts';
import { readTopic } from '../platform/event-log/read-topic.ts';
import type { NumberRange } from './fetch-ahead.ts';

export type RangeIngested = {
  chain: string;
  first: number;
  last: number;
  last_block: number;
  blocks: number;
  movements: number;
};

/** Numbers that ingestion is done with. `lastBlock` is the newest block in them; null where all were skipped. */
export type FinishedSpan = NumberRange & { readonly lastBlock: number | null };

const TOPIC = 'ingest.ranges';

/** Which numbers of each chain ranges are done with, read from the log: what makes them resumable. */
export class FinishedRanges {
  /** By chain: ascending, apart from each other. */
  readonly #spans = new Map<string, readonly FinishedSpan[]>();
  readonly #codec: Codec<RangeIngested>;

  private constructor(codec: Codec<RangeIngested>) {
    this.#codec = codec;
  }

  static async read(log: EventLog, codec: Codec<RangeIngested>): Promise<FinishedRanges> {
    const ranges = new FinishedRanges(codec);
    for await (const records of readTopic(log, TOPIC))
      for (const { value } of records) ranges.add(codec.decode(value));
    return ranges;
  }

  spansOf(chain: string): readonly FinishedSpan[] {
    return this.#spans.get(chain) ?? [];
  }

  /** The pieces of a range that are not done. */
  missing(chain: string, { first, last }: NumberRange): NumberRange[] {
    const missing: NumberRange[] = [];
    let next = first;
    for (const span of this.spansOf(chain)) {
      if (span.first > last) break;
      if (span.first > next) missing.push({ first: next, last: span.first - 1 });
      next = Math.max(next, span.last + 1);
    }
    if (next <= last) missing.push({ first: next, last });
    return missing;
  }

  /** The record that marks a range as done, to be appended together with its blocks; `add` it when that is durable. */
  note(range: RangeIngested): AppendRecord {
    return { topic: TOPIC, key: range.chain, value: this.#codec.encode(range) };
  }

  add({ chain, first, last, last_block }: RangeIngested): void {
    const added: FinishedSpan = { first, last, lastBlock: last_block < 0 ? null : last_block };
    const merged: FinishedSpan[] = [];
    const spans = [...this.spansOf(chain), added].sort((a, b) => a.first - b.first);
    for (const span of spans) {
      const before = merged.at(-1);
      if (!before || span.first > before.last + 1) merged.push(span);
      else merged[merged.length - 1] = unite(before, span);
    }
    this.#spans.set(chain, merged);
  }
}

const unite = (a: FinishedSpan, b: FinishedSpan): FinishedSpan => ({
  first: a.first,
  last: Math.max(a.last, b.last),
  lastBlock:
    a.lastBlock === null || b.lastBlock === null
      ? (a.lastBlock ?? b.lastBlock)
      : Math.max(a.lastBlock, b.lastBlock),
});
