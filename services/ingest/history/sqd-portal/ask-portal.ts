import { malformed } from '../../nodes/decode-answer.ts';
import { type RateLimits, rateOf } from '../../nodes/request-rate.ts';
import {
  createRedactor,
  type RetryLimits,
  readRetryAfter,
  retryTransient,
  SourceError,
} from '../../nodes/source-error.ts';
import { linesOf } from './lines-of.ts';

export type PortalOptions = {
  /** Of one dataset, such as `https://portal.sqd.dev/datasets/ethereum-mainnet`. */
  readonly url: string;
  /** Empty where none is needed. */
  readonly key: string;
  readonly limits?: RateLimits;
  readonly retry?: RetryLimits;
  readonly timeoutMs?: number;
};

/** A block that matched, or one that only tells how far the stream came. */
export type PortalBlock = { readonly number: number; readonly transactions: readonly unknown[] };

export type Portal = {
  /** Blocks of a query from `fromBlock` to `toBlock`, ascending; all between two of them were looked at. Throws `SourceError`. */
  blocks(
    query: object,
    window: { readonly fromBlock: number; readonly toBlock: number },
    signal: AbortSignal,
  ): AsyncGenerator<PortalBlock>;
  /** The newest final block that it holds; null: none. Throws `SourceError`. */
  head(signal: AbortSignal): Promise<number | null>;
};

/** The public portal takes 20 requests in ten seconds. */
const PER_SECOND = 2;
const TIMEOUT_MS = 60_000;
const LINE_BYTES_MAX = 16 << 20;
const NOT_YET = 204;
const OVERLOADED = 529;
const FORKED = 409;
/** Streams in a row without a block. */
const FRUITLESS_MAX = 3;

/**
 * The portal of SQD: streams of JSON lines. A stream may end before `toBlock`, and one that fails ends with HTTP 200 as
 * one that is complete does. Its last line is always the last block that was looked at, so the next question begins
 * there until the last block is reached.
 */
export const createPortal = (options: PortalOptions): Portal => {
  const { key, retry, limits, timeoutMs = TIMEOUT_MS } = options;
  const base = options.url.replace(/\/+$/, '');
  const rate = rateOf(key === '' ? base : `${base}?key=${encodeURIComponent(key)}`, {
    ...limits,
    perSecond: limits?.perSecond ?? PER_SECOND,
  });
  const redact = createRedactor(base);

  const open = async (path: string, body: object | null, signal: AbortSignal): Promise<Response> => {
    const request = { method: path, calls: 1, urgency: 'history' } as const;
    await rate.take(request, signal);
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== '' && { authorization: `Bearer ${key}` }),
    };
    let response: Response;
    try {
      response = await fetch(`${base}/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers,
        signal,
      });
    } catch {
      signal.throwIfAborted();
      throw new SourceError('unreachable', 'the portal cannot be reached', { transient: true });
    }
    rate.heed(request, response);
    if (response.ok) return response;
    if (response.status === OVERLOADED) rate.limited(request);
    const text = await response.text().catch(() => '');
    throw refusal(response, redact(text));
  };

  const blocks: Portal['blocks'] = async function* (query, { fromBlock, toBlock }, signal) {
    let next = fromBlock;
    for (let fruitless = 0; next <= toBlock; ) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const asked = { ...query, fromBlock: next, toBlock };
      const response = await retryTransient(() => open('finalized-stream', asked, limited), signal, retry);
      const before = next;
      for await (const block of blocksOf(response, signal)) {
        if (block.number < next || block.number > toBlock) throw notAsked();
        next = block.number + 1;
        yield block;
      }
      fruitless = next > before ? 0 : fruitless + 1;
      if (fruitless >= (retry?.attempts ?? FRUITLESS_MAX)) throw noBlocks();
    }
  };

  const head: Portal['head'] = async (signal) => {
    const ask = async (): Promise<number | null> => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const answer: unknown = await (await open('finalized-head', null, limited)).json().catch(() => {
        signal.throwIfAborted();
        throw new SourceError('not_json', 'the head of the portal is no JSON', { transient: true });
      });
      if (answer === null) return null;
      const { number } = answer as { number?: unknown };
      if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
      throw malformed('the head of the portal has no number');
    };
    return retryTransient(ask, signal, retry);
  };
  return { blocks, head };
};

/** The blocks of one stream. What was told before a cut was looked at; the rest is asked for again. */
async function* blocksOf(response: Response, signal: AbortSignal): AsyncGenerator<PortalBlock> {
  if (response.status === NOT_YET) throw notHeld();
  const lines = linesOf(response, LINE_BYTES_MAX);
  for (;;) {
    const block = await nextBlock(lines).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof SourceError && error.transient) return null;
      throw error;
    });
    if (block === null) return;
    yield block;
  }
}

const nextBlock = async (lines: AsyncGenerator<string>): Promise<PortalBlock | null> => {
  const { done, value } = await lines.next();
  return done ? null : toBlockOf(value);
};

export const notHeld = (): SourceError =>
  new SourceError('block_unavailable', 'the portal does not hold these blocks yet', { transient: false });
const notAsked = (): SourceError =>
  new SourceError('inconsistent', 'the portal tells blocks that were not asked for', { transient: false });
const noBlocks = (): SourceError =>
  new SourceError('unreachable', 'the portal ends its streams without a block', { transient: true });

/** 409 (a fork), 429, 502, 503 and 529 pass; what is wrong with the question or the key does not. */
const refusal = ({ status, headers }: Response, text: string): SourceError => {
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now());
  const shown = `the portal answered with status ${status}: ${text}`;
  if (status === 429 || status === OVERLOADED)
    return new SourceError('rate_limited', shown, { transient: true, retryAfterMs });
  return new SourceError('http_status', shown, {
    transient: status === FORKED || status >= 502,
    retryAfterMs,
  });
};

/** Throws a transient `SourceError` where a line is an error text, or was cut. */
const toBlockOf = (line: string): PortalBlock => {
  let told: unknown;
  try {
    told = JSON.parse(line);
  } catch {
    throw new SourceError('not_json', 'the stream of the portal was cut', { transient: true });
  }
  const { header, transactions = [] } = (told ?? {}) as {
    header?: { number?: unknown } | null;
    transactions?: unknown;
  };
  if (typeof header?.number !== 'number' || !Array.isArray(transactions))
    throw new SourceError('malformed', 'a line of the portal is no block', { transient: true });
  return { number: header.number, transactions };
};
