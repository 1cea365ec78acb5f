import { deadLetter } from './dead-letter.ts';
import type { EventLog, StoredRecord } from './event-log.ts';

/** A record of the log that can never be stored, and why. */
export type RefusedRecord = { readonly record: StoredRecord; readonly reason: string };

/** Where a dead letter came from: `source` is topic/partition/offset. */
export type BuriedRecord = { readonly topic: string; readonly source: string; readonly reason: string };

/** Writes refused records to the dead letters, one after the other, and tells of each once it is durable. */
export const buryRecords = async (
  log: Pick<EventLog, 'append'>,
  refused: readonly RefusedRecord[],
  tell: (letter: BuriedRecord) => void,
): Promise<void> => {
  for (const { record, reason } of refused) {
    const { topic, partition, offset, value } = record;
    const source = `${topic}/${partition}/${offset}`;
    await log.append([deadLetter({ source, reason, original: value })]);
    tell({ topic, source, reason });
  }
};
