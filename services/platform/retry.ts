import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_MS = { first: 100, longest: 10_000 };

export type RetryWaits = {
  readonly signal: AbortSignal;
  /** Called with every failure, so that none is silent. */
  readonly onWait: (error: unknown, waitMs: number) => void;
  /** Called when it works after failures. */
  readonly onRecovered?: (() => void) | undefined;
};

/**
 * Retries until it works, with growing delays (100 ms to 10 s), for anything that is temporarily unavailable.
 * Throws the signal's reason when aborted, and errors for which `isFinal` is true.
 */
export const retryForever = async <T>(
  action: () => Promise<T>,
  options: RetryWaits & { readonly isFinal?: (error: unknown) => boolean },
): Promise<T> => {
  for (let waitMs = WAIT_MS.first; ; waitMs = Math.min(waitMs * 2, WAIT_MS.longest)) {
    options.signal.throwIfAborted();
    try {
      const result = await action();
      if (waitMs > WAIT_MS.first) options.onRecovered?.();
      return result;
    } catch (error) {
      options.signal.throwIfAborted();
      if (options.isFinal?.(error)) throw error;
      options.onWait(error, waitMs);
    }
    await sleep(waitMs, undefined, { signal: options.signal });
  }
};
