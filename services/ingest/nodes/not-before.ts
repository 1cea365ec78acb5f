import { SourceError } from './source-error.ts';

/** A node that names a later time is asked once an hour whether it still means that. */
const LONGEST_MS = 3_600_000;

/** By address: all callers of an endpoint respect its wish. There are no more entries than endpoints. */
const notBeforeMs = new Map<string, number>();

/** The node behind this address asked for a pause. */
export const noteRetryAfter = (url: string, retryAfterMs: number | null): void => {
  if (retryAfterMs === null) return;
  const untilMs = performance.now() + Math.min(retryAfterMs, LONGEST_MS);
  notBeforeMs.set(url, Math.max(untilMs, notBeforeMs.get(url) ?? 0));
};

/** Throws a transient `SourceError` while the node behind this address wants to be left alone. */
export const heedNotBefore = (url: string): void => {
  const retryAfterMs = (notBeforeMs.get(url) ?? 0) - performance.now();
  if (retryAfterMs <= 0) return;
  throw new SourceError('rate_limited', 'the node asked not to be called for now', {
    transient: true,
    retryAfterMs,
  });
};
