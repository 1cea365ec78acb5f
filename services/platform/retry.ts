import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_MS = { first: 100, longest: 10_000 };

export type RetryWaits = {
  readonly signal: AbortSignal;
  /** Called with every failure, so that none is silent. */
  readonly onWait: (error: unknown, waitMs: number) => void;
  /** Called when it works after failures. */
  readonly onRecovered?: (() => void) | undefined;
  /** An attempt that takes longer is told as one that waits, though it goes on. */
  readonly slowAfterMs?: number | undefined;
};

/** Told of an attempt that neither works nor fails. */
export class SlowError extends Error {
  readonly code = 'slow';
  constructor(afterMs: number) {
    super(`no answer after ${afterMs / 1_000} seconds`);
    this.name = 'SlowError';
  }
}

/**
 * Retries until it works, with growing delays (100 ms to 10 s), for anything that is temporarily unavailable.
 * Throws the signal's reason when aborted, and errors for which `isFinal` is true.
 */
export const retryForever = async <T>(
  action: () => Promise<T>,
  options: RetryWaits & { readonly isFinal?: (error: unknown) => boolean },
): Promise<T> => {
  let hasWaited = false;
  const wait = (error: unknown, waitMs: number): void => {
    hasWaited = true;
    options.onWait(error, waitMs);
  };
  for (let waitMs = WAIT_MS.first; ; waitMs = Math.min(waitMs * 2, WAIT_MS.longest)) {
    options.signal.throwIfAborted();
    try {
      const result = await tellSlow(action, options.slowAfterMs, wait);
      if (hasWaited) options.onRecovered?.();
      return result;
    } catch (error) {
      options.signal.throwIfAborted();
      if (options.isFinal?.(error)) throw error;
      wait(error, waitMs);
    }
    await sleep(waitMs, undefined, { signal: options.signal });
  }
};

const tellSlow = async <T>(
  action: () => Promise<T>,
  afterMs: number | undefined,
  tell: (error: SlowError, waitMs: number) => void,
): Promise<T> => {
  if (afterMs === undefined) return action();
  const timer = setTimeout(() => tell(new SlowError(afterMs), 0), afterMs);
  try {
    return await action();
  } finally {
    clearTimeout(timer);
  }
};
