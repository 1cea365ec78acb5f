import { malformed } from '../../nodes/decode-answer.ts';
import { type RateLimits, rateOf } from '../../nodes/request-rate.ts';
import { createRedactor, type RetryLimits, retryTransient, SourceError } from '../../nodes/source-error.ts';
import type { ListedTransaction } from '../history-source.ts';

export type ExplorerOptions = {
  /** Such as `https://api.etherscan.io/v2/api`. */
  readonly url: string;
  /** Empty where none is needed. */
  readonly key: string;
  /** The chain's number, as Etherscan v2 and Blockscout want it. */
  readonly chainId: bigint;
  readonly limits?: RateLimits;
  readonly retry?: RetryLimits;
  readonly timeoutMs?: number;
};

/** One page of rows of an action of the module `account`. Throws `SourceError`. */
export type AskExplorer = (
  action: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<ListedTransaction[]>;

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 32 << 20;
const NONE_FOUND = /^no .*found/i;
const DAILY = /daily|per day|day limit|credits/i;
const LIMITED = /rate limit|too many|calls? per sec/i;

/**
 * Etherscan v2 and those that answer alike. Errors come with HTTP 200 and `status: "0"`, as an empty list does: only
 * the one that says so is believed to be empty, because a refused chain must not look like a wallet without history.
 */
export const createAskExplorer = (options: ExplorerOptions): AskExplorer => {
  const { key, chainId, limits, retry, timeoutMs = TIMEOUT_MS } = options;
  const base = new URL(options.url);
  base.searchParams.set('chainid', String(chainId));
  base.searchParams.set('module', 'account');
  if (key !== '') base.searchParams.set('apikey', key);
  const rate = rateOf(base.href, limits);
  const redact = createRedactor(base.href);

  const refuse = (action: string, text: string): SourceError => {
    const request = { method: action, calls: 1, urgency: 'history' } as const;
    const shown = `${action}: ${redact(text)}`;
    if (LIMITED.test(text) && !DAILY.test(text)) {
      rate.limited(request);
      return new SourceError('rate_limited', shown, { transient: true });
    }
    if (DAILY.test(text) && /limit|exceed|reached/i.test(text))
      return new SourceError('quota_used', shown, { transient: false });
    return new SourceError('rpc_error', shown, { transient: false });
  };

  const askOnce: AskExplorer = async (action, fields, signal) => {
    const url = new URL(base);
    for (const [name, value] of Object.entries({ action, ...fields })) url.searchParams.set(name, value);
    const request = { method: action, calls: 1, urgency: 'history' } as const;
    await rate.take(request, signal);
    const { status, message, result } = await fetchAnswer(url, { signal, timeoutMs }, (response) =>
      rate.heed(request, response),
    );
    if (
      Array.isArray(result) &&
      (status === '1' || (result.length === 0 && NONE_FOUND.test(String(message))))
    )
      return result.map(toListed);
    throw refuse(action, typeof result === 'string' && result !== '' ? result : String(message));
  };
  return (action, fields, signal) => retryTransient(() => askOnce(action, fields, signal), signal, retry);
};

type Answer = { readonly status?: unknown; readonly message?: unknown; readonly result?: unknown };

const fetchAnswer = async (
  url: URL,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  heed: (response: Response) => void,
): Promise<Answer> => {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { signal: limited });
    heed(response);
    text = await readText(response);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceError) throw error;
    // The error of fetch may contain the address with its key.
    throw new SourceError('unreachable', 'the explorer cannot be reached', { transient: true });
  }
  const { status } = response;
  if (status === 429)
    throw new SourceError('rate_limited', 'the explorer limits the rate', { transient: true });
  if (!response.ok)
    throw new SourceError('http_status', `the explorer answered with status ${status}`, {
      transient: status >= 500,
    });
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    throw new SourceError('not_json', 'the answer is cut short or is not JSON', { transient: true });
  }
};

const readText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX)
      throw new SourceError('answer_too_large', `the answer passes ${ANSWER_BYTES_MAX} bytes`, {
        transient: false,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const HASH = /^0x[0-9a-f]{64}$/i;

/** Blockscout names the hash of an internal transaction's transaction otherwise. */
const toListed = (row: unknown): ListedTransaction => {
  const { hash, transactionHash, blockNumber } = (row ?? {}) as Readonly<Record<string, unknown>>;
  const id = hash ?? transactionHash;
  const block = Number(blockNumber);
  if (typeof id === 'string' && HASH.test(id) && /^\d+$/.test(String(blockNumber)))
    return { id: id.toLowerCase(), block };
  throw malformed('a row without hash or block');
};
