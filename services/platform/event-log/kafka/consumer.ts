import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AppendRecord,
  type Batch,
  type Commit,
  type Consumer,
  FencedError,
  LogClosedError,
  LogError,
  type PartitionRange,
  type Position,
} from '../event-log.ts';
import type { Connection } from './connection.ts';
import { type FetchFrom, fetchRecords } from './fetch-records.ts';
import { groupByTopic } from './group-by-leader.ts';
import type { GroupMember } from './group-member.ts';
import { CODES, hasCode, toLogError } from './kafka-error.ts';
import { createPartitionCursors } from './partition-cursors.ts';
import type { PartitionName, TopicCatalog } from './topic-catalog.ts';

/** How long the brokers hold back an empty answer. It is also the longest time that closing takes. */
const FETCH_WAIT_MS = 500;
/** How long a poll waits for the brokers beyond its own waiting time. */
const PATIENCE_MS = 3_000;

type Options = {
  readonly group: string;
  readonly topics: readonly string[];
  readonly resumedFrom: readonly Commit[];
  readonly catalog: TopicCatalog;
  readonly connection: Connection;
  readonly member: GroupMember;
  readonly transact: (records: readonly AppendRecord[], commits: readonly Commit[]) => Promise<Position[]>;
  /** Aborted when the member lost its group. */
  readonly lost: AbortSignal;
  readonly rangeOf: (name: PartitionName) => Promise<PartitionRange>;
  readonly onError: (error: LogError) => void;
  readonly onClose: () => void;
};

/** Waits until the signal at most, and throws its reason then. */
const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

const askedOf = (from: readonly FetchFrom[], { topic, partition }: PartitionName): FetchFrom | undefined =>
  from.find((f) => f.topic === topic && f.partition === partition);

/** The partitions for which the brokers do not have the requested offset. */
const outOfRange = (
  from: readonly FetchFrom[],
  error: unknown,
  { fromBroker }: TopicCatalog,
): FetchFrom | null => {
  if (!hasCode(error, CODES.offsetOutOfRange)) return null;
  const { topic, partition } = error as Error & PartitionName;
  return askedOf(from, { topic: fromBroker(topic), partition }) ?? null;
};

/**
 * Fetches only during a poll, so that a slow reader leaves records at the brokers instead of in memory. A
 * partition with a known backlog is fetched alone, in its turn. Otherwise all are fetched, and the brokers
 * answer as soon as one has records.
 */
export const createConsumer = (options: Options): Consumer => {
  const { group, catalog, connection, member, lost, onClose } = options;
  const closed = new AbortController();
  const cursors = createPartitionCursors(options);
  let isPolling = false;

  const mustOwn = (): void => {
    if (closed.signal.aborted) throw new LogClosedError('consumer');
    if (lost.aborted) throw new FencedError(group);
  };

  /** Skips records that retention deleted, and waits for an offset that does not exist yet. */
  const moveIntoRange = async ({ offset, ...name }: FetchFrom): Promise<void> => {
    const { begin, end } = await options.rangeOf(name);
    if (offset < begin) return cursors.passDeleted({ ...name, offset: begin });
    cursors.setAside(name);
    const where = `${name.topic}/${name.partition}`;
    const message = `group ${group} stands at ${offset} of ${where}, which ends at ${end}`;
    options.onError(new LogError('offset_ahead', message));
  };

  /** One request. True when it brought records, or showed that the next ones are invisible. */
  const fetch = async (from: readonly FetchFrom[], maxBytes: number, maxWaitMs: number): Promise<boolean> => {
    const timeout = AbortSignal.timeout(maxWaitMs + PATIENCE_MS);
    const stop = AbortSignal.any([closed.signal, lost, timeout]);
    try {
      const request = { from, maxBytes, maxWaitMs };
      const run = connection.run((session) => fetchRecords(session, catalog, request), stop);
      const fetched = await unlessAborted(run, stop);
      return fetched.map((one) => cursors.keep(one, askedOf(from, one)?.offset ?? -1)).includes(true);
    } catch (error) {
      mustOwn();
      if (timeout.aborted) return false;
      const outside = outOfRange(from, error, catalog);
      if (!outside) throw toLogError(error);
      await moveIntoRange(outside);
      return true;
    }
  };

  const nextBatch = async (maxBytes: number): Promise<Batch | null> => {
    for (let next = cursors.next(maxBytes); next; next = cursors.next(maxBytes)) {
      if (!(await fetch([next.from], next.roomBytes, 0))) break;
    }
    return cursors.take(maxBytes);
  };

  const pollUntil = async (deadlineMs: number, maxBytes: number): Promise<Batch | null> => {
    for (;;) {
      const leftMs = Math.max(0, Math.ceil(deadlineMs - performance.now()));
      const known = await nextBatch(maxBytes);
      if (known) return known;
      const from = cursors.all();
      const waitMs = Math.min(leftMs, FETCH_WAIT_MS);
      if (from.length > 0) await fetch(from, maxBytes, waitMs);
      else await sleep(waitMs, undefined, { signal: closed.signal }).catch(() => {});
      mustOwn();
      const fresh = cursors.take(maxBytes);
      if (fresh || leftMs === 0) return fresh;
    }
  };

  const commitAll = async (commits: readonly Commit[]): Promise<void> => {
    mustOwn();
    for (const commit of commits) cursors.mustHave(commit);
    const topics = groupByTopic(catalog, commits, ({ partition, offset, metadata }) => ({
      partition,
      offset: String(offset),
      metadata,
    }));
    await member.commit(topics);
  };

  return {
    resumedFrom: options.resumedFrom,
    poll: async ({ maxBytes, waitMs }) => {
      mustOwn();
      if (isPolling) throw new LogError('poll_overlap', `a poll of group ${group} is still waiting`);
      isPolling = true;
      try {
        return await pollUntil(performance.now() + waitMs, maxBytes);
      } finally {
        isPolling = false;
      }
    },
    seek: cursors.seek,
    commit: (commit) => commitAll([commit]),
    transact: async ({ records, commits }) => {
      mustOwn();
      for (const commit of commits) cursors.mustHave(commit);
      if (records.length > 0) return options.transact(records, commits);
      if (commits.length > 0) await commitAll(commits);
      return [];
    },
    close: async () => {
      if (closed.signal.aborted) return;
      closed.abort(new LogClosedError('consumer'));
      onClose();
      await member.leave();
      await connection.close();
    },
  };
};
