import { createHash } from 'node:crypto';
import type { EventLog } from '../platform/event-log/event-log.ts';

/**
 * Tells the log of which a snapshot was drawn from every other one: a digest of the last event it holds of each partition.
 * Another engine, another prefix or topics made anew can well be as long. Throws what reading the log throws.
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
