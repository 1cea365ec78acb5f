import { isLogLost } from '../../platform/event-log/event-log.ts';
import type { retryForever } from '../../platform/retry.ts';

type Retrying = Parameters<typeof retryForever>[1];

/**
 * What each of several actions at the same time is tried again with. It is told that everything works again when none of
 * them waits any more, not when the first of them went through.
 */
export const createWaits = (
  events: { waiting(reason: unknown, waitMs: number): void; recovered?(): void },
  signal: AbortSignal,
): (() => Retrying) => {
  const waiting = new Set<object>();
  return () => {
    const action = {};
    return {
      signal,
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
