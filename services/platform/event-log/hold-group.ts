import { type RetryWaits, retryForever } from '../retry.ts';
import { type ConsumeRequest, type Consumer, type EventLog, isLogLost } from './event-log.ts';

/** Hears, too, that the log is out of reach or full, and that it answers again. */
export type GroupRequest = Pick<ConsumeRequest, 'group' | 'topics'> & RetryWaits;

/**
 * Waits for a group, however long another process holds it: one that stands by takes over when that ends, and outlives a log
 * that is full or away meanwhile. Null when told to stop. Throws what `isLogLost` says.
 */
export const holdGroup = async (
  log: Pick<EventLog, 'consume'>,
  request: GroupRequest,
): Promise<Consumer | null> => {
  const { group, topics, signal, onWait, onRecovered } = request;
  try {
    return await retryForever(() => log.consume({ group, topics, signal, waitMs: Number.MAX_SAFE_INTEGER }), {
      signal,
      onWait,
      onRecovered,
      isFinal: isLogLost,
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
};
