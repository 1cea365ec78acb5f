import { type RetryWaits, retryForever } from '../retry.ts';
import { deadLetter } from './dead-letter.ts';
import type { EventLog, StoredRecord } from './event-log.ts';
import { isLogLost } from './log-lost.ts';

/** A record of the log that can never be stored, and why. */
export type RefusedRecord = { readonly record: StoredRecord; readonly reason: string };

/** Where a dead letter came from: `source` is topic/partition/offset. */
export type BuriedRecord = { readonly topic: string; readonly source: string; readonly reason: string };

/**
 * Writes refused records to the dead letters, one after the other, and tells of each once it is durable. What the log does not
 * take now is tried again until the signal. Throws its reason, and what `isLogLost` says.
 */
export const buryRecords = async (
  log: Pick<EventLog, 'append'>,
  refused: readonly RefusedRecord[],
  request: RetryWaits & { readonly tell: (letter: BuriedRecord) => void },
): Promise<void> => {
  for (const { record, reason } of refused) {
    const { topic, partition, offset, value } = record;
    const source = `${topic}/${partition}/${offset}`;
    const letter = deadLetter({ source, reason, original: value });
    await retryForever(() => log.append([letter]), { ...request, isFinal: isLogLost });
    request.tell({ topic, source, reason });
  }
};
