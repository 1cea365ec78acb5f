import { createHash } from 'node:crypto';
import type { EventLog } from '../platform/event-log/event-log.ts';

/**
 * Identifies the log that a snapshot was made from: a digest of the last event of each partition. Another engine,
 * prefix or topic may have the same length. Throws when the log cannot be read.
 */
export const identifyLog = async (
  log: EventLog,
  topic: string,
  next: ReadonlyMap<number, number>,
): Promise<string> => {
  const digest = createHash('sha256');
  for (const [partition, until] of [...next].toSorted(([a], [b]) => a - b)) {
    const range = { topic, partition, offset: until - 1, until };
    const [last] = until > 0 ? await log.read({ ...range, maxBytes: 1 }) : [];
    digest.update(`${partition}/${until}/`).update(last?.value ?? '');
  }
  return digest.digest('hex');
};
