import { isLogLost } from '../../platform/event-log/event-log.ts';
import type { retryForever } from '../../platform/retry.ts';

type Retrying = Parameters<typeof retryForever>[1];

/**
 * Retry options for several actions that run at once. Reports recovery when none of them waits any more, not
 * when the first one succeeds.
 */
export const createWaits = (
  events: { waiting(reason: unknown, waitMs: number): void; recovered?(): void },
  signal: AbortSignal,
  { slowAfterMs }: Pick<Retrying, 'slowAfterMs'> = {},
): (() => Retrying) => {
  const waiting = new Set<object>();
  return () => {
    const action = {};
    return {
      signal,
      slowAfterMs,
      onWait: (reason, waitMs) => {
        waiting.add(action);
        events.waiting(reason, waitMs);
      },
      onRecovered: () => {
        waiting.delete(action);
        if (waiting.size === 0) events.recovered?.();
      },
      isFinal: isLogLost,
    };
  };
};
