import type { Codec } from '../../platform/avro/codec.ts';
import type { AppendRecord, EventLog } from '../../platform/event-log/event-log.ts';
import { type PassedOver, readDecoded } from '../../platform/event-log/read-decoded.ts';
import type { LastBlock } from '../head/read-next.ts';
import type { NumberRange } from './fetch-ahead.ts';

export type RangeIngested = {
  chain: string;
  first: number;
  last: number;
  last_block: number;
  blocks: number;
  movements: number;
  first_parent_hash: string;
  last_block_hash: string;
};

/** Numbers that ingestion has finished. */
export type FinishedSpan = NumberRange & {
  /** The newest block in them; null if all were skipped. */
  readonly lastBlock: number | null;
  /** Its hash, and the hash that the oldest block builds on; empty if not recorded. */
  readonly lastBlockHash: string;
  readonly firstParentHash: string;
};

/** The known neighbours of a range: its blocks build on one, and another builds on them. */
export type Links = {
  readonly before: LastBlock | null;
  /** The parent hash of the first block after the range. */
  readonly parentOfNext: string | null;
};

const TOPIC = 'ingest.ranges';

/** Which ranges of each chain are finished, read from the log. This makes them resumable. */
export class FinishedRanges {
  /** By chain: ascending, disjoint. */
  readonly #spans = new Map<string, readonly FinishedSpan[]>();
  readonly #codec: Codec<RangeIngested>;

  private constructor(codec: Codec<RangeIngested>) {
    this.#codec = codec;
  }

  /** Unreadable notes are skipped: their range is not finished. */
  static async read(
    log: EventLog,
    codec: Codec<RangeIngested>,
    passedOver: PassedOver,
  ): Promise<FinishedRanges> {
    const ranges = new FinishedRanges(codec);
    for await (const range of readDecoded(log, TOPIC, codec.decode, passedOver)) ranges.add(range);
    return ranges;
  }

  spansOf(chain: string): readonly FinishedSpan[] {
    return this.#spans.get(chain) ?? [];
  }

  /** The unfinished pieces of a range. */
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

  /** The known blocks next to an unfinished range. */
  linksOf(chain: string, { first, last }: NumberRange): Links {
    const spans = this.spansOf(chain);
    const below = spans.find((span) => span.last === first - 1);
    const above = spans.find((span) => span.first === last + 1);
    const isKnown = below !== undefined && below.lastBlock !== null && below.lastBlockHash !== '';
    return {
      before: isKnown ? { number: below.lastBlock, hash: below.lastBlockHash } : null,
      parentOfNext: above?.firstParentHash || null,
    };
  }

  /** The note that a range is finished, appended with its blocks; call `add` when it is durable. */
  note(range: RangeIngested): AppendRecord {
    return { topic: TOPIC, key: range.chain, value: this.#codec.encode(range) };
  }

  add({ chain, first, last, ...range }: RangeIngested): void {
    const added: FinishedSpan = {
      first,
      last,
      lastBlock: range.last_block < 0 ? null : range.last_block,
      lastBlockHash: range.last_block_hash,
      firstParentHash: range.first_parent_hash,
    };
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

/** `a` begins first. */
const unite = (a: FinishedSpan, b: FinishedSpan): FinishedSpan => {
  const newer = (b.lastBlock ?? -1) > (a.lastBlock ?? -1) ? b : a;
  return {
    first: a.first,
    last: Math.max(a.last, b.last),
    lastBlock: newer.lastBlock,
    lastBlockHash: newer.lastBlockHash,
    firstParentHash: (a.lastBlock === null ? b : a).firstParentHash,
  };
};
