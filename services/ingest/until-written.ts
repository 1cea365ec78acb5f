import { FencedError, LogClosedError } from '../platform/event-log/event-log.ts';
import { retryForever } from '../platform/retry.ts';

const LOST = [FencedError, LogClosedError];

/** Another process writes in our place, or none can any more: retrying would never help. */
export const isLost = (error: unknown): boolean => LOST.some((kind) => error instanceof kind);

/**
 * Writes to the log, and retries while it is full or unavailable. Throws the signal's reason, and errors for
 * which `isLost` is true.
 */
export const untilWritten = <T>(
  write: () => Promise<T>,
  options: { signal: AbortSignal; onWait: (error: unknown, waitMs: number) => void },
): Promise<T> => retryForever(write, { ...options, isFinal: isLost });
