import { performance } from 'node:perf_hooks';
import { type Batch, type Commit, LogError, type Position, type StoredRecord } from '../event-log.ts';
import { type Fetched, type FetchFrom, takeBytes } from './fetch-records.ts';
import { recordBytes } from './record-bytes.ts';
import type { PartitionName, TopicCatalog } from './topic-catalog.ts';

/** Maximum bytes of prefetched records. Beyond it they are dropped, and fetched again in their turn. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;

type Cursor = PartitionName & {
  /** After the last record that was returned, or the sought position. */
  from: number;
  /** Where to fetch next: like `from`, but after markers that were already seen. */
  fetchFrom: number;
  /** Fetched and not returned yet; between `from` and `fetchFrom`. */
  held: readonly StoredRecord[];
  /** There are records to fetch below this offset. */
  lastStable: number;
  /** Not fetched before this time of `performance.now()`. */
  asideUntilMs: number;
};

/** Interval between checks whether a partition has reached an offset that it does not have yet. */
const ASIDE_MS = 1_000;

/** A consumer's position in each partition, and whose turn it is. */
export type PartitionCursors = {
  /**
   * The partition whose turn it is, if it has a known backlog and less than these bytes of it are in memory;
   * otherwise null.
   */
  next(maxBytes: number): { readonly from: FetchFrom; readonly roomBytes: number } | null;
  all(): FetchFrom[];
  /**
   * Processes the answer to a request that began at `asked`. An answer from before a seek is dropped. True
   * when it brought something new.
   */
  keep(fetched: Fetched, asked: number): boolean;
  /** Records below this offset no longer exist. */
  passDeleted(begin: Position): void;
  /** The partition ends before its position. The others are not held up by it. */
  setAside(name: PartitionName): void;
  /** The next records of the partition whose turn it is; null when none of it are in memory. */
  take(maxBytes: number): Batch | null;
  /** Throws `LogError` `not_owned` for a partition of another topic. */
  seek(position: Position): void;
  mustHave(name: PartitionName): void;
};

const bytesOf = (records: readonly StoredRecord[]): number =>
  records.reduce((sum, record) => sum + recordBytes(record), 0);

const hasMore = ({ held, fetchFrom, lastStable }: Cursor): boolean =>
  held.length > 0 || fetchFrom < lastStable;

const toFetchFrom = ({ topic, partition, fetchFrom }: Cursor): FetchFrom => ({
  topic,
  partition,
  offset: fetchFrom,
});

export const createPartitionCursors = (request: {
  readonly group: string;
  readonly topics: readonly string[];
  readonly resumedFrom: readonly Commit[];
  readonly catalog: TopicCatalog;
}): PartitionCursors => {
  const { group, topics, resumedFrom, catalog } = request;
  const cursors: Cursor[] = topics.flatMap((topic) =>
    catalog.partitionsOf(topic).map(({ partition }) => {
      const from = resumedFrom.find((c) => c.topic === topic && c.partition === partition)?.offset ?? 0;
      return { topic, partition, from, fetchFrom: from, held: [], lastStable: 0, asideUntilMs: 0 };
    }),
  );
  let turn = 0;

  const find = ({ topic, partition }: PartitionName): Cursor => {
    const cursor = cursors.find((c) => c.topic === topic && c.partition === partition);
    if (cursor) return cursor;
    throw new LogError('not_owned', `group ${group} does not read partition ${partition} of topic ${topic}`);
  };

  const current = (): Cursor | undefined => {
    for (let step = 0; step < cursors.length; step++) {
      const cursor = cursors[(turn + step) % cursors.length];
      if (cursor && hasMore(cursor)) return cursor;
    }
    return undefined;
  };

  const forgetBeyondLimit = (): void => {
    if (cursors.reduce((sum, { held }) => sum + bytesOf(held), 0) <= HELD_BYTES_MAX) return;
    for (const cursor of cursors) {
      cursor.fetchFrom = cursor.held[0]?.offset ?? cursor.fetchFrom;
      cursor.held = [];
    }
  };

  return {
    next: (maxBytes) => {
      const cursor = current();
      if (!cursor || cursor.fetchFrom >= cursor.lastStable) return null;
      const roomBytes = maxBytes - bytesOf(cursor.held);
      return roomBytes > 0 ? { from: toFetchFrom(cursor), roomBytes } : null;
    },
    all: () => {
      const nowMs = performance.now();
      return cursors.filter((c) => c.held.length === 0 && c.asideUntilMs <= nowMs).map(toFetchFrom);
    },
    keep: ({ records, next, lastStable, ...name }, asked) => {
      const cursor = find(name);
      if (cursor.fetchFrom !== asked) return false;
      cursor.held = [...cursor.held, ...records];
      cursor.fetchFrom = next;
      cursor.lastStable = lastStable;
      return next > asked;
    },
    passDeleted: (begin) => {
      find(begin).fetchFrom = begin.offset;
    },
    setAside: (name) => {
      const cursor = find(name);
      cursor.asideUntilMs = performance.now() + ASIDE_MS;
      cursor.lastStable = 0;
    },
    take: (maxBytes) => {
      const cursor = current();
      if (!cursor) return null;
      const records = takeBytes(cursor.held, maxBytes);
      const last = records.at(-1);
      if (!last) return null;
      const { topic, partition, from } = cursor;
      cursor.held = cursor.held.slice(records.length);
      cursor.from = last.offset + 1;
      turn = cursors.indexOf(cursor) + 1;
      forgetBeyondLimit();
      return { topic, partition, from, records };
    },
    seek: (position) => {
      const cursor = find(position);
      cursor.from = position.offset;
      cursor.fetchFrom = Math.max(0, position.offset);
      cursor.held = [];
      cursor.asideUntilMs = 0;
    },
    mustHave: (name) => void find(name),
  };
};
