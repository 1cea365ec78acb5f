import { createHash } from 'node:crypto';
import { type RateNews, readRateHeaders } from './rate-headers.ts';
import { SourceError } from './source-error.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** The head of a chain waits for nobody; histories and ranges share what it leaves. */
export type Urgency = 'head' | 'history';

export type Request = {
  readonly method: string;
  /** Of a batch: providers count its calls. */
  readonly calls: number;
  readonly urgency: Urgency;
};

export type RateLimits = {
  /** The plan's limits, if known. */
  readonly perSecond?: number | undefined;
  readonly perDay?: number | undefined;
};

/** What one key may ask of one host, shared by everything in this process that asks there. */
export type RequestRate = {
  /**
   * Waits until a request may be sent. Throws a transient `SourceError` `rate_limited` while the host asked to be
   * left alone, `quota_used` once a day's budget is used up, or the signal's reason.
   */
  take(request: Request, signal: AbortSignal): Promise<void>;
  /** Obeys `Retry-After` and rate headers. */
  heed(request: Request, response: Pick<Response, 'status' | 'headers'>): void;
  /** A refusal that only the text of an answer tells. */
  limited(request: Request, message?: string): void;
  now(): { readonly perSecond: number; readonly usedToday: number };
};

/** A host that names a later time is asked once an hour whether it still means that. */
const LONGEST_MS = 3_600_000;
const FIRST_PER_SECOND = 10;
const TOO_MANY_REQUESTS = 429;
const DAY_MS = 86_400_000;
/** Of public Solana nodes. */
const ONE_METHOD = /specific (rpc|method)/i;

type Waiter = { readonly request: Request; readonly pass: () => void; readonly fail: (error: Error) => void };

/** What of a day's budget was used, or may have been. */
export type DayUse = {
  /** A hash of host and key. */
  readonly quota: string;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly calls: number;
};

/** Uses are told in so many parts of a budget, each before it is spent: a process that dies has spent no more. */
const DAY_PARTS = 100;
const used = new Map<string, DayUse>();
let tellUse: ((use: DayUse) => void) | null = null;

/** `tell` is called with what may be used from now on, as long as nobody stops it. `restore` takes what was told before. */
export const keepDays = (
  tell: (use: DayUse) => void,
): { readonly restore: (use: DayUse) => void; readonly stop: () => void } => {
  tellUse = tell;
  return {
    restore: (use) => {
      const known = used.get(use.quota);
      if (known === undefined || known.day < use.day || known.calls < use.calls) used.set(use.quota, use);
    },
    stop: () => {
      if (tellUse === tell) tellUse = null;
    },
  };
};

class HostRate implements RequestRate {
  readonly #whole: TokenBucket;
  /** Methods that the host limits on their own; none before it does. */
  readonly #methods = new Map<string, TokenBucket>();
  readonly #sentOf = new Map<string, { second: number; calls: number }>();
  readonly #waiting: Record<Urgency, Set<Waiter>> = { head: new Set(), history: new Set() };
  readonly #perDay: number;
  readonly #quota: string;
  #day = { number: 0, calls: 0, told: 0 };
  #notBeforeMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(quota: string, isNear: boolean, { perSecond, perDay = Number.POSITIVE_INFINITY }: RateLimits) {
    this.#quota = createHash('sha256').update(quota).digest('hex').slice(0, 32);
    this.#whole = createTokenBucket(isNear ? Number.POSITIVE_INFINITY : FIRST_PER_SECOND, perSecond);
    this.#perDay = perDay;
  }

  now() {
    return { perSecond: this.#whole.perSecond, usedToday: this.#today().calls };
  }

  async take(request: Request, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#refusePaused();
    this.#refuseSpent(request);
    const queue = this.#waiting[request.urgency];
    const isFirst = queue.size === 0 && (request.urgency === 'head' || this.#waiting.head.size === 0);
    if (isFirst && this.#waitOf(request) === 0) {
      this.#spend(request);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        queue.delete(waiter);
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (error: unknown): void => {
        leave();
        reject(error);
      };
      const onAbort = (): void => fail(signal.reason);
      const pass = (): void => {
        leave();
        resolve();
      };
      const waiter: Waiter = { request, pass, fail };
      queue.add(waiter);
      signal.addEventListener('abort', onAbort);
      this.#pump();
    });
  }

  heed(request: Request, { status, headers }: Pick<Response, 'status' | 'headers'>): void {
    const isRefused = status >= 400;
    const news = readRateHeaders(headers, isRefused, Date.now());
    this.#pause(news);
    if (news.left !== null) this.#whole.left(news.left, performance.now());
    if (status === TOO_MANY_REQUESTS) this.#slowDown(request, news.isOfMethod);
  }

  limited(request: Request, message = ''): void {
    this.#slowDown(request, ONE_METHOD.test(message));
  }

  #slowDown({ method, calls }: Request, isOfMethod: boolean): void {
    const nowMs = performance.now();
    if (!isOfMethod) {
      this.#whole.limited(nowMs);
      return;
    }
    const bucket = this.#methods.get(method) ?? createTokenBucket(this.#recently(method, calls));
    this.#methods.set(method, bucket);
    bucket.spend(this.#recently(method, calls), nowMs);
    bucket.limited(nowMs);
  }

  #pause({ pauseMs }: RateNews): void {
    if (pauseMs === null) return;
    const untilMs = performance.now() + Math.min(pauseMs, LONGEST_MS);
    this.#notBeforeMs = Math.max(untilMs, this.#notBeforeMs);
    for (const { fail } of this.#inOrder()) fail(pausedError(this.#notBeforeMs - performance.now()));
  }

  #refusePaused(): void {
    const waitMs = this.#notBeforeMs - performance.now();
    if (waitMs > 0) throw pausedError(waitMs);
  }

  #refuseSpent({ calls }: Request): void {
    if (this.#today().calls + calls > this.#perDay)
      throw new SourceError('quota_used', 'the budget of the day is used up', { transient: false });
  }

  #today() {
    const number = Math.floor(Date.now() / DAY_MS);
    if (this.#day.number !== number) this.#day = { number, calls: 0, told: 0 };
    const before = used.get(this.#quota);
    // Of another process, or of this one before it was started again.
    if (before?.day === number && before.calls > this.#day.told)
      this.#day = { number, calls: Math.max(this.#day.calls, before.calls), told: before.calls };
    return this.#day;
  }

  #useDay(calls: number): void {
    const day = this.#today();
    day.calls += calls;
    if (day.calls <= day.told || !Number.isFinite(this.#perDay)) return;
    day.told = Math.min(this.#perDay, day.calls + Math.ceil(this.#perDay / DAY_PARTS));
    const use = { quota: this.#quota, day: day.number, calls: day.told };
    used.set(this.#quota, use);
    tellUse?.(use);
  }

  #waitOf({ method, calls }: Request): number {
    const nowMs = performance.now();
    const ofMethod = this.#methods.get(method)?.waitMs(calls, nowMs) ?? 0;
    return Math.max(ofMethod, this.#whole.waitMs(calls, nowMs));
  }

  #spend({ method, calls }: Request): void {
    const nowMs = performance.now();
    this.#whole.spend(calls, nowMs);
    this.#methods.get(method)?.spend(calls, nowMs);
    this.#useDay(calls);
    const second = Math.floor(nowMs / 1_000);
    const sent = this.#sentOf.get(method);
    this.#sentOf.set(method, { second, calls: sent?.second === second ? sent.calls + calls : calls });
  }

  #recently(method: string, atLeast: number): number {
    return Math.max(atLeast, this.#sentOf.get(method)?.calls ?? 0);
  }

  #inOrder(): Waiter[] {
    return [...this.#waiting.head, ...this.#waiting.history];
  }

  /** Lets pass who may, the head first. One method's limit holds up no other method. */
  #pump(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const { request, pass, fail } of this.#inOrder()) {
      const waitMs = this.#waitOf(request);
      if (waitMs === 0) {
        try {
          this.#refuseSpent(request);
          this.#spend(request);
          pass();
        } catch (error) {
          fail(error as Error);
        }
        continue;
      }
      const isOfMethod = this.#whole.waitMs(request.calls, performance.now()) === 0;
      (isOfMethod ? this.#methods.get(request.method) : this.#whole)?.held();
      soonestMs = Math.min(soonestMs, waitMs);
      if (!isOfMethod) break;
    }
    if (soonestMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#pump(), soonestMs);
  }
}

const pausedError = (retryAfterMs: number): SourceError =>
  new SourceError('rate_limited', 'the node asked not to be called for now', {
    transient: true,
    retryAfterMs,
  });

/** By host and key. There are no more entries than endpoints. */
const rates = new Map<string, RequestRate>();

/** The rate of a node or service; the first caller's limits hold. */
export const rateOf = (url: string, limits: RateLimits = {}): RequestRate => {
  const quota = quotaOf(url);
  const known = rates.get(quota);
  if (known) return known;
  const { hostname } = new URL(url);
  const created = new HostRate(quota, /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname), limits);
  rates.set(quota, created);
  return created;
};

const KEY_LENGTH_MIN = 16;

/** Many providers serve several chains with one key at one host, and count them together. */
export const quotaOf = (url: string): string => {
  const { protocol, host, username, password, pathname, searchParams } = new URL(url);
  const parts = [...pathname.split('/'), ...searchParams.values()];
  const keys = parts.filter((part) => part.length >= KEY_LENGTH_MIN && /\d/.test(part));
  return [protocol, host, username, password, ...new Set(keys)].join(' ');
};
