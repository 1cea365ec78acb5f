import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Wraps a query to an engine that may be down. At most one call runs at a time, so that calls do not pile up
 * during an outage. Null when there is no answer within `withinMs`.
 */
export const askOnce = <T>(ask: () => Promise<T>, withinMs: number): (() => Promise<T | null>) => {
  let underway: Promise<T> | null = null;
  return async () => {
    underway ??= ask().finally(() => {
      underway = null;
    });
    const answered = new AbortController();
    try {
      return await Promise.race([underway, sleep(withinMs, null, { signal: answered.signal })]);
    } finally {
      answered.abort();
    }
  };
};
