import { retryForever } from '../retry.ts';
import { type EventLog, isLogLost, type StoredRecord } from './event-log.ts';
import { type GroupRequest, holdGroup } from './hold-group.ts';

// How soon a record is taken, at most; and a bound on what a batch holds in memory.
const POLL = { maxBytes: 2 << 20, waitMs: 250 };

/**
 * Gives a group's records to `take`, batch after batch, and commits each batch once it was taken: a crash in between
 * gives it again, so taking it twice must change nothing. A batch is of one partition and never empty. Waits while
 * another process holds the group, then runs until the signal; what the log does not do now is tried again. Throws
 * `FencedError` when another one took over, and what `take` throws.
 */
export const consumeBatches = async (
  log: Pick<EventLog, 'consume'>,
  request: GroupRequest,
  take: (records: readonly StoredRecord[]) => Promise<void>,
): Promise<void> => {
  const { signal } = request;
  const untilItWorks = <T>(action: () => Promise<T>): Promise<T> =>
    retryForever(action, { ...request, isFinal: isLogLost });
  const consumer = await holdGroup(log, request);
  if (!consumer) return;
  try {
    while (!signal.aborted) {
      const batch = await untilItWorks(() => consumer.poll(POLL));
      const last = batch?.records.at(-1);
      if (!batch || !last) continue;
      await take(batch.records);
      const { topic, partition, offset } = last;
      const next = { topic, partition, offset: offset + 1, metadata: '' };
      await untilItWorks(() => consumer.commit(next));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await consumer.close();
  }
};
