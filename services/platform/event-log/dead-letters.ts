import { createHash } from 'node:crypto';
import { messageOf } from '../message-of.ts';
import { type RetryWaits, retryForever } from '../retry.ts';
import { type AppendRecord, type EventLog, isLogLost, type StoredRecord } from './event-log.ts';

/** A record of the log that can never be stored, and why. */
export type RefusedRecord = { readonly record: StoredRecord; readonly reason: string };

/** Where a dead letter came from: `source` is topic/partition/offset. */
export type SentDeadLetter = { readonly topic: string; readonly source: string; readonly reason: string };

/** A larger dead letter stores its hash and the original's position instead of its bytes. */
const BYTES_MAX = 256 * 1024;

/**
 * Builds the record of a dead letter: the original bytes, their position and the reason. Its key is the
 * source position, so that a duplicate after a crash can be told from two failures.
 */
export const deadLetter = (letter: { source: string; reason: string; original: Buffer }): AppendRecord => {
  const whole = letter.original.length <= BYTES_MAX;
  return {
    topic: 'dead-letters',
    key: letter.source,
    value: whole ? letter.original : Buffer.alloc(0),
    headers: {
      source: letter.source,
      reason: letter.reason,
      bytes: String(letter.original.length),
      sha256: createHash('sha256').update(letter.original).digest('hex'),
      whole: String(whole),
    },
  };
};

/** Decodes the records in order, and returns those that cannot be decoded with their error. */
export const decodeRecords = <Decoded>(
  records: readonly StoredRecord[],
  decode: (record: StoredRecord) => Decoded,
): { decoded: Decoded[]; refused: RefusedRecord[] } => {
  const decoded: Decoded[] = [];
  const refused: RefusedRecord[] = [];
  for (const record of records) {
    try {
      decoded.push(decode(record));
    } catch (error) {
      refused.push({ record, reason: messageOf(error) });
    }
  }
  return { decoded, refused };
};

/**
 * Writes refused records to the dead letters in order, and reports each once it is durable. Retries until the
 * signal while the log is unavailable. Throws the signal's reason, or an error for which `isLogLost` is true.
 */
export const sendToDeadLetters = async (
  log: Pick<EventLog, 'append'>,
  refused: readonly RefusedRecord[],
  request: RetryWaits & { readonly tell: (letter: SentDeadLetter) => void },
): Promise<void> => {
  for (const { record, reason } of refused) {
    const { topic, partition, offset, value } = record;
    const source = `${topic}/${partition}/${offset}`;
    const letter = deadLetter({ source, reason, original: value });
    await retryForever(() => log.append([letter]), { ...request, isFinal: isLogLost });
    request.tell({ topic, source, reason });
  }
};
