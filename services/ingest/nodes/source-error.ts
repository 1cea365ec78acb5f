import { setTimeout as sleep } from 'node:timers/promises';

/** Codes never change. */
export type SourceErrorCode =
  /** No answer, a broken one, or none in time. */
  | 'unreachable'
  | 'rate_limited'
  /** The day's budget of the operator's plan is used up. */
  | 'quota_used'
  | 'http_status'
  | 'rpc_error'
  | 'answer_too_large'
  | 'not_json'
  /** JSON, but not what its API promises. */
  | 'malformed'
  /**
   * Another block than requested, or parts of different blocks: the node, or one of several behind the address,
   * lags.
   */
  | 'inconsistent'
  /** The node no longer has the block, or does not say whether it existed. */
  | 'block_unavailable'
  /** The node serves another chain than configured. */
  | 'wrong_chain';

type Details = {
  /** Whether asking again can help. */
  readonly transient: boolean;
  /** The wait that the node asked for, if any. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
};

/** A node did not answer as needed. The message never contains its address, which may carry a key. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  readonly transient: boolean;
  readonly retryAfterMs: number | null;

  constructor(code: SourceErrorCode, message: string, { transient, retryAfterMs = null, cause }: Details) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.transient = transient;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The answers do not belong together; a repetition may. */
export const inconsistent = (message: string): SourceError =>
  new SourceError('inconsistent', message, { transient: true });

export type RetryLimits = {
  readonly attempts: number;
  readonly firstWaitMs: number;
  /** Also the longest wait for a time that a node named; until then nobody asks it (`request-rate.ts`). */
  readonly longestWaitMs: number;
};

export const RETRY_LIMITS: RetryLimits = { attempts: 4, firstWaitMs: 250, longestWaitMs: 15_000 };

/**
 * Repeats after a transient `SourceError`, a few times, each after a longer wait or the one the node asked for.
 * Throws the last error, or the signal's reason.
 */
export const retryTransient = async <T>(
  action: () => Promise<T>,
  signal: AbortSignal,
  { attempts, firstWaitMs, longestWaitMs }: RetryLimits = RETRY_LIMITS,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SourceError) || !error.transient || attempt >= attempts) throw error;
      // Half of it is random, so that requests that failed together do not return together.
      const backOffMs = firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
      const waitMs = Math.min(error.retryAfterMs ?? backOffMs, longestWaitMs);
      await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
};

/** `Retry-After` is seconds or a date; null if it is neither, or in the past. */
export const readRetryAfter = (header: string | null, nowUnixMs: number): number | null => {
  if (header === null) return null;
  const isSeconds = /^\d{1,6}$/.test(header.trim());
  const waitMs = isSeconds ? Number(header) * 1_000 : Date.parse(header) - nowUnixMs;
  return waitMs > 0 ? waitMs : null;
};

/** A node's message may quote its address or key, so every part of the address that can be one is removed. */
export const createRedactor = (url: string): ((text: string) => string) => {
  const secrets = secretsOf(url);
  return (text) => {
    let shown = text.slice(0, 500);
    for (const secret of secrets) shown = shown.replaceAll(secret, '…');
    return shown.replace(/https?:\/\/\S+/g, '…').slice(0, 200);
  };
};

const SECRET_LENGTH_MIN = 6;

const secretsOf = (url: string): string[] => {
  const { href, host, username, password, pathname, searchParams, search } = new URL(url);
  const parts = [
    href,
    host,
    username,
    password,
    search,
    pathname,
    ...pathname.split('/'),
    ...searchParams.values(),
  ];
  const decoded = parts.flatMap((part) => [part, ...decode(part)]);
  return [...new Set(decoded)]
    .filter((part) => part.length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
};

/** Empty if it says nothing else; "%" may not start an escape. */
const decode = (part: string): string[] => {
  try {
    return [decodeURIComponent(part)];
  } catch {
    return [];
  }
};
