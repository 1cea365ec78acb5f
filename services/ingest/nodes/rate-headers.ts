import { readRetryAfter } from './source-error.ts';

/** What an answer says about the next requests. */
export type RateNews = {
  /** Nobody may ask before; null: it does not say. */
  readonly pauseMs: number | null;
  /** Requests left until a limit; null: it does not say. */
  readonly left: number | null;
  /** Whether the limit is that of one method (public Solana nodes). */
  readonly isOfMethod: boolean;
};

const REMAINING = ['x-ratelimit-remaining', 'ratelimit-remaining'];
const RESET = ['x-ratelimit-reset', 'ratelimit-reset'];
const METHOD_REMAINING = 'x-ratelimit-method-remaining';
/** Providers mean seconds, milliseconds or a time by the same header. A wait that is read too short costs one refusal. */
const SECONDS_BELOW = 1_000;
const UNIX_SECONDS_FROM = 1e9;
const UNIX_MS_FROM = 1e12;

export const readRateHeaders = (headers: Headers, isRefused: boolean, nowUnixMs: number): RateNews => {
  const retryAfterMs = isRefused ? readRetryAfter(headers.get('retry-after'), nowUnixMs) : null;
  const left = numberIn(headers, REMAINING);
  const cost = Math.max(1, numberIn(headers, ['x-ratelimit-cost']) ?? 1);
  const resetMs = left !== null && left < cost ? resetIn(headers, nowUnixMs) : null;
  return {
    pauseMs: retryAfterMs ?? resetMs,
    left: left === null ? null : Math.floor(left / cost),
    isOfMethod: isRefused && numberIn(headers, [METHOD_REMAINING]) === 0,
  };
};

/** −1 and other text mean that the server does not know. */
const numberIn = (headers: Headers, names: readonly string[]): number | null => {
  for (const name of names) {
    const text = headers.get(name)?.trim() ?? '';
    if (/^\d{1,15}$/.test(text)) return Number(text);
  }
  return null;
};

const resetIn = (headers: Headers, nowUnixMs: number): number | null => {
  const value = numberIn(headers, RESET);
  if (value === null) return null;
  const waitMs =
    value >= UNIX_MS_FROM
      ? value - nowUnixMs
      : value >= UNIX_SECONDS_FROM
        ? value * 1_000 - nowUnixMs
        : value < SECONDS_BELOW
          ? value * 1_000
          : value;
  return waitMs > 0 ? waitMs : null;
};
