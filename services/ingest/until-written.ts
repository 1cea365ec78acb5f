import { FencedError, LogClosedError } from '../platform/event-log/event-log.ts';
import { retryForever } from '../platform/retry.ts';

const LOST = [FencedError, LogClosedError];

/** Somebody else writes in our place, or nobody can any more: trying again would never help. */
export const isLost = (error: unknown): boolean => LOST.some((kind) => error instanceof kind);

/** Writes to the log, again and again while it is full or out of reach. Throws the signal's reason, and what `isLost`. */
export const untilWritten = <T>(
  write: () => Promise<T>,
  options: { signal: AbortSignal; onWait: (error: unknown, waitMs: number) => void },
): Promise<T> => retryForever(write, { ...options, isFinal: isLost });
