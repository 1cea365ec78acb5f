import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { EventLog, PartitionRange, Position, StoredRecord } from './event-log.ts';
import { createReadProgress } from './read-progress.ts';
import { type EndWatch, watchEnd } from './watch-end.ts';

/** A topic that a process reads as a whole, for itself. */
export type FollowedTopic = {
  /**
   * Whether it is up to date. While false, records of others may be missing. It stops at a record that `take`
   * refuses and retries it, because records after a skipped one could be interpreted wrongly. With
   * `currentWithinMs` it also notices when the log does not answer.
   */
  isFollowing(): boolean;
  /**
   * Resolves when the record at this position has been taken. Throws `LogError` when that takes longer than
   * 10 s, or when it is stopped.
   */
  untilRead(position: Position): Promise<void>;
  stop(): Promise<void>;
};

const BATCH_BYTES = 4 << 20;
const POLL_WAIT_MS = 250;
const AGAIN_MS = 200;

/** Resolves when everything in the topic was taken. It continues until it is stopped. */
export const followTopic = async (options: {
  log: EventLog;
  topic: string;
  /** When it throws, the record is taken again. */
  take: (record: StoredRecord) => void;
  /** The start position of a partition. Default: its beginning. */
  startAt?: (range: PartitionRange) => Promise<number>;
  /**
   * Up to date only while it has everything that the log contained this long ago. Default: also while the log
   * does not answer.
   */
  currentWithinMs?: number;
  /** Records are taken at once, and the rest of the process waits meanwhile. */
  batchBytes?: number;
  /** Called with every failure. It keeps retrying. */
  onError: (error: unknown) => void;
}): Promise<FollowedTopic> => {
  const { log, topic, take, startAt = async ({ begin }) => begin, currentWithinMs, onError } = options;
  const poll = { maxBytes: options.batchBytes ?? BATCH_BYTES, waitMs: POLL_WAIT_MS };
  // A group of its own for each process, so that every process reads all records and waits for no other.
  const consumer = await log.consume({ group: `${topic}-${randomUUID()}`, topics: [topic] });
  const progress = createReadProgress(topic);
  /** Partitions that are stopped at a record. */
  const stuck = new Set<number>();
  let end: EndWatch | null = null;
  let isStopping = false;
  let isReached = true;

  /** Whether there was a record. */
  const advance = async (): Promise<boolean> => {
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
      progress.moveTo({ partition, offset: offset + 1 });
    }
    progress.tell();
    end?.look();
    // A long backlog is read without pauses, batch after batch.
    if (batch !== null) await nextTurn();
    return batch !== null;
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

  const readFirst = async (): Promise<void> => {
    let ranges = await log.ranges(topic);
    for (const range of ranges) {
      const position = { ...range, offset: await startAt(range) };
      consumer.seek(position);
      progress.moveTo(position);
    }
    // The log may delete records before they are read.
    while (!progress.hasAll(ranges)) if (!(await advance())) ranges = await log.ranges(topic);
  };

  const currentAtMs = performance.now();
  try {
    await readFirst();
  } catch (error) {
    // Each retry opens its own consumer.
    await consumer.close().catch(onError);
    throw error;
  }
  const followed = follow();
  if (currentWithinMs !== undefined)
    end = watchEnd({ log, topic, currentAtMs, hasAll: progress.hasAll, onError });
  return {
    isFollowing: () =>
      isReached && stuck.size === 0 && (end?.ageMs() ?? 0) < (currentWithinMs ?? Number.POSITIVE_INFINITY),
    untilRead: progress.untilRead,
    stop: async () => {
      isStopping = true;
      end?.stop();
      await consumer.close();
      await followed;
      progress.stop();
    },
  };
};
