import { setTimeout as sleep } from 'node:timers/promises';

/**
 * For a question to an engine that may be away: it is under way once at most, however often it is asked, so that
 * questions do not pile up until the engine is back. Null where there is no answer within `withinMs`.
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
