import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type EventLog,
  LogError,
  type PartitionRange,
  type Position,
  type StoredRecord,
} from './event-log.ts';
import { watchEnd } from './watch-end.ts';

/** A topic that a process reads along as a whole, for itself. */
export type FollowedTopic = {
  /**
   * Whether it follows at the moment; while it does not, what others wrote may be missing. It stands still at a record
   * that cannot be taken, and tries it again: what comes behind one that was left out could be taken wrongly. That the log
   * does not answer is known where `currentWithinMs` was given.
   */
  isFollowing(): boolean;
  /** Resolves when the record at this position has been taken. Throws `LogError` when that takes longer than 10 s, or is stopped. */
  untilRead(position: Position): Promise<void>;
  stop(): Promise<void>;
};

const BATCH_BYTES = 4 << 20;
const POLL_WAIT_MS = 100;
const AGAIN_MS = 200;
const READ_WITHIN_MS = 10_000;

/** Resolves when everything that the topic held was taken; goes on until it is stopped. */
export const followTopic = async (options: {
  log: EventLog;
  topic: string;
  /** What it throws leaves the record to be taken again. */
  take: (record: StoredRecord) => void;
  /** Where a partition is read from: its beginning unless given. */
  startAt?: (range: PartitionRange) => Promise<number>;
  /** It follows only while it has everything that the log held so long ago; unless given, also while the log is silent. */
  currentWithinMs?: number;
  /** Taken at once; whatever else the process does waits meanwhile. */
  batchBytes?: number;
  /** Hears of every failure; it goes on trying. */
  onError: (error: unknown) => void;
}): Promise<FollowedTopic> => {
  const { log, topic, take, startAt = async ({ begin }) => begin, currentWithinMs, onError } = options;
  const poll = { maxBytes: options.batchBytes ?? BATCH_BYTES, waitMs: POLL_WAIT_MS };
  // A group of its own: every process reads all of it, and nobody waits for anybody.
  const consumer = await log.consume({ group: `${topic}-${randomUUID()}`, topics: [topic] });
  const next = new Map<number, number>();
  /** Partitions that stand still at a record. */
  const stuck = new Set<number>();
  /** Look again whenever something was taken. */
  const waiting = new Set<{ look(): void; fail(error: LogError): void }>();
  let isStopping = false;
  let isReached = true;

  const advance = async (): Promise<void> => {
    const batch = await consumer.poll(poll);
    for (const record of batch?.records ?? []) {
      const { partition, offset } = record;
      try {
        take(record);
      } catch (error) {
        stuck.add(partition);
        consumer.seek({ topic, partition, offset });
        throw error;
      }
      stuck.delete(partition);
      next.set(partition, offset + 1);
    }
    for (const { look } of waiting) look();
    // A long backlog is there at once, batch after batch.
    if (batch !== null) await nextTurn();
  };
  const follow = async (): Promise<void> => {
    while (!isStopping) {
      try {
        await advance();
        isReached = true;
      } catch (error) {
        if (isStopping) return;
        isReached = false;
        onError(error);
        await sleep(AGAIN_MS);
      }
    }
  };
  const has = ({ partition, offset }: Pick<Position, 'partition' | 'offset'>): boolean =>
    (next.get(partition) ?? 0) > offset;
  const hasAll = (ranges: readonly PartitionRange[]): boolean =>
    ranges.every(({ partition, begin, end }) => begin === end || has({ partition, offset: end - 1 }));

  const readFirst = async (): Promise<void> => {
    const ranges = await log.ranges(topic);
    for (const range of ranges) {
      const { partition } = range;
      const offset = await startAt(range);
      consumer.seek({ topic, partition, offset });
      next.set(partition, offset);
    }
    while (!hasAll(ranges)) await advance();
  };

  const currentAtMs = performance.now();
  try {
    await readFirst();
  } catch (error) {
    // Whoever tries again opens one of its own.
    await consumer.close().catch(onError);
    throw error;
  }
  const followed = follow();
  const end = currentWithinMs === undefined ? null : watchEnd({ log, topic, currentAtMs, hasAll, onError });
  if (end !== null) waiting.add({ look: end.look, fail: () => {} });
  return {
    isFollowing: () =>
      isReached && stuck.size === 0 && (end?.ageMs() ?? 0) < (currentWithinMs ?? Number.POSITIVE_INFINITY),
    untilRead: async (position) => {
      if (has(position)) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = setTimeout(
        () => reject(new LogError('not_read_back', `topic ${topic} was not read back in time`)),
        READ_WITHIN_MS,
      );
      const waiter = { look: () => has(position) && resolve(), fail: reject };
      waiting.add(waiter);
      await promise.finally(() => {
        clearTimeout(late);
        waiting.delete(waiter);
      });
    },
    stop: async () => {
      isStopping = true;
      end?.stop();
      await consumer.close();
      await followed;
      for (const { fail } of waiting)
        fail(new LogError('not_read_back', `topic ${topic} is followed no more`));
    },
  };
};
