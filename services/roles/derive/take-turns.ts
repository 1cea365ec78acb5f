import { setTimeout as sleep } from 'node:timers/promises';
import { type RetryWaits, retryForever } from '../../platform/retry.ts';

/** Questions go first: the work takes no more than `percent` of the time, and rests at least `everyMs`. */
export type Pace = { readonly everyMs: number; readonly percent: number };

/**
 * Does a piece of work again and again. Only the attempt that succeeded counts as work: after an engine was away
 * for an hour, nobody rests for four. Throws the signal's reason when aborted.
 */
export const takeTurns = async (
  work: () => Promise<void>,
  options: RetryWaits & { readonly pace: Pace; readonly nowMs?: () => number },
): Promise<never> => {
  const { pace, signal, nowMs = () => performance.now() } = options;
  for (;;) {
    let beganMs = 0;
    const attempt = (): Promise<void> => {
      beganMs = nowMs();
      return work();
    };
    await retryForever(attempt, options);
    const tookMs = nowMs() - beganMs;
    await sleep(Math.max(pace.everyMs, tookMs * (100 / pace.percent - 1)), undefined, { signal });
  }
};
