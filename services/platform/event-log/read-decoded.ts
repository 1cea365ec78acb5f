import { messageOf } from '../message-of.ts';
import type { EventLog, Position } from './event-log.ts';
import { readTopic } from './read-topic.ts';

/** A record that nobody can read, now or later: passed over and said, since it must not stop what reads its topic. */
export class RecordPassedOverError extends Error {
  readonly code = 'record_passed_over';
  constructor({ topic, partition, offset }: Position, cause: unknown) {
    super(`record ${offset} of ${topic}/${partition} is passed over: ${messageOf(cause)}`, { cause });
    this.name = 'RecordPassedOverError';
  }
}

export type PassedOver = (error: RecordPassedOverError) => void;

/** What the records of a topic say that it holds now, but for those that `decode` throws at. */
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
