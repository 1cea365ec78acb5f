import { performance } from 'node:perf_hooks';
import { type Batch, type Commit, LogError, type Position, type StoredRecord } from '../event-log.ts';
import { type Fetched, type FetchFrom, takeBytes } from './fetch-records.ts';
import { recordBytes } from './record-bytes.ts';
import type { PartitionName, TopicCatalog } from './topic-catalog.ts';

/** Records that came and were not asked for yet: above this they are forgotten, and fetched again when it is their turn. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;

type Cursor = PartitionName & {
  /** Behind the last record that was handed out, or where it was sought. */
  from: number;
  /** Where to fetch next: as `from`, but behind markers that were seen already. */
  fetchFrom: number;
  /** Fetched and not handed out; they lie between `from` and `fetchFrom`. */
  held: readonly StoredRecord[];
  /** Below it is something to fetch. */
  lastStable: number;
  /** Not asked before this time of `performance.now()`. */
  asideUntilMs: number;
};

/** How soon it is looked again whether a partition has reached an offset that it does not have yet. */
const ASIDE_MS = 1_000;

/** Where a consumer stands in each of its partitions, and whose turn it is. */
export type PartitionCursors = {
  /** The partition whose turn it is, while it is known to have more and less than these bytes of it are held; else null. */
  next(maxBytes: number): { readonly from: FetchFrom; readonly roomBytes: number } | null;
  all(): FetchFrom[];
  /** Takes in an answer to a request that began at `asked`; one from before a seek is left aside. True for news. */
  keep(fetched: Fetched, asked: number): boolean;
  /** There is nothing below this offset any more. */
  passDeleted(begin: Position): void;
  /** The partition ends before where it stands; the others are not held up by it. */
  setAside(name: PartitionName): void;
  /** The next records of the partition whose turn it is; null where nothing is held of it. */
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
