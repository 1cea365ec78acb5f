import { type RetryWaits, retryForever } from '../retry.ts';
import { type ConsumeRequest, type Consumer, type EventLog, isLogLost } from './event-log.ts';

/** Also called when the log is unavailable or full, and when it answers again. */
export type GroupRequest = Pick<ConsumeRequest, 'group' | 'topics'> & RetryWaits;

/**
 * Waits for a group for as long as another process holds it: a standby takes over when the holder ends, and
 * survives an unavailable or full log. Null when told to stop. Throws errors for which `isLogLost` is true.
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
