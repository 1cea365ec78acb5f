import { retryForever } from '../retry.ts';
import { type EventLog, isLogLost, type StoredRecord } from './event-log.ts';
import { type GroupRequest, holdGroup } from './hold-group.ts';

// Maximum delay of a record, and a limit for the batch in memory.
const POLL = { maxBytes: 2 << 20, waitMs: 250 };

/**
 * Passes a group's records to `take` in batches and commits each batch afterwards. A crash in between
 * delivers the batch again, so `take` must be idempotent. A batch has one partition and is never empty. Waits
 * while another process holds the group, then runs until the signal, and retries when the log is unavailable.
 * Throws `FencedError` when another member took over, and whatever `take` throws.
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
