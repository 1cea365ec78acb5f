import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import { type EventLog, RecordTooLargeError } from '../../platform/event-log/event-log.ts';
import { PaymentsUnavailableError } from './payment-book.ts';

/** Answers kept in the log until they are paid for, so that another process can hand them out. */
export type Answers = {
  /** Resolves to its place in the log when durable. Throws `PaymentsUnavailableError`, `RecordTooLargeError`. */
  keep(key: string, answer: unknown): Promise<string>;
  /** null if it is no longer kept. Throws `PaymentsUnavailableError`. */
  fetch(place: string): Promise<unknown>;
};

/** From here on a thread of its own is worth its start: the answer of a whole flow has megabytes. */
const BYTES_ON_THREAD = 64 << 10;
const [packLarge, unpackLarge] = [promisify(gzip), promisify(gunzip)];

const pack = (text: string): Buffer | Promise<Buffer> =>
  text.length < BYTES_ON_THREAD ? gzipSync(text) : packLarge(text);
const unpack = (value: Buffer): Buffer | Promise<Buffer> =>
  value.length < BYTES_ON_THREAD / 8 ? gunzipSync(value) : unpackLarge(value);

const TOPIC = 'payments.answers';

const reach = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof RecordTooLargeError) throw cause;
    throw new PaymentsUnavailableError('the event log', { cause });
  }
};

export const createAnswers = (log: EventLog): Answers => ({
  keep: async (key, answer) => {
    const value = await pack(JSON.stringify(answer));
    const [position] = await reach(() => log.append([{ topic: TOPIC, key, value }]));
    return `${position?.partition}:${position?.offset}`;
  },
  fetch: async (place) => {
    const [partition = -1, offset = -1] = place.split(':').map(Number);
    const [record] = await reach(() => log.read({ topic: TOPIC, partition, offset, maxBytes: 1 }));
    if (record?.offset !== offset) return null;
    return JSON.parse((await unpack(record.value)).toString());
  },
});
