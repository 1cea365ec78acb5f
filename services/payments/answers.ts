import { gunzipSync, gzipSync } from 'node:zlib';
import type { EventLog } from '../platform/event-log/event-log.ts';

/** Answers that are kept until they are paid for, in the log: another process may be the one to hand them out. */
export type Answers = {
  /** Durable when it resolves, to where it lies. Throws the log's errors: `RecordTooLargeError` among them. */
  keep(key: string, answer: unknown): Promise<string>;
  /** null when it is kept no longer. */
  fetch(place: string): Promise<unknown>;
};

const TOPIC = 'payments.answers';

export const createAnswers = (log: EventLog): Answers => ({
  keep: async (key, answer) => {
    const value = gzipSync(JSON.stringify(answer));
    const [position] = await log.append([{ topic: TOPIC, key, value }]);
    return `${position?.partition}:${position?.offset}`;
  },
  fetch: async (place) => {
    const [partition = -1, offset = -1] = place.split(':').map(Number);
    const [record] = await log.read({ topic: TOPIC, partition, offset, maxBytes: 1 });
    if (record?.offset !== offset) return null;
    return JSON.parse(gunzipSync(record.value).toString());
  },
});
