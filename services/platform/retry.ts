import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_MS = { first: 100, longest: 10_000 };

export type RetryWaits = {
  readonly signal: AbortSignal;
  /** Hears of every failure, so that none is silent. */
  readonly onWait: (error: unknown, waitMs: number) => void;
  /** It works after that. */
  readonly onRecovered?: (() => void) | undefined;
};

/**
 * Tries until it works, waiting longer each time (100 ms to 10 s): for what is out of reach now and will be back. Throws the
 * signal's reason when told to stop meanwhile, and what `isFinal` says no time will heal.
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
