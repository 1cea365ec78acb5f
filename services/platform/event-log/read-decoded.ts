import { messageOf } from '../message-of.ts';
import type { EventLog, Position } from './event-log.ts';
import { readTopic } from './read-topic.ts';

/**
 * A record that can never be decoded. It is skipped and reported, so that it does not stop the readers of its topic.
 */
export class RecordPassedOverError extends Error {
  readonly code = 'record_passed_over';
  constructor({ topic, partition, offset }: Position, cause: unknown) {
    super(`record ${offset} of ${topic}/${partition} is passed over: ${messageOf(cause)}`, { cause });
    this.name = 'RecordPassedOverError';
  }
}

export type PassedOver = (error: RecordPassedOverError) => void;

/** Decodes all records that a topic holds now, and skips those at which `decode` throws. */
export async function* readDecoded<T>(
  log: EventLog,
  topic: string,
  decode: (value: Buffer) => T,
  passedOver: PassedOver,
): AsyncGenerator<T> {
  for await (const records of readTopic(log, topic)) {
    for (const record of records) {
      let value: T;
      try {
        value = decode(record.value);
      } catch (error) {
        passedOver(new RecordPassedOverError(record, error));
        continue;
      }
      yield value;
    }
  }
}
