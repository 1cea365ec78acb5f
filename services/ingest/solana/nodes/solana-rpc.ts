import { loginHeaders, splitLogin } from '../../../platform/login.ts';
import { CONTAINERS_MAX, createValueCount } from '../../block-limits.ts';
import { type AnswerBudget, UNBOUNDED } from '../../nodes/answer-budget.ts';
import { type Request, rateOf, type Urgency } from '../../nodes/request-rate.ts';
import { createRedactor, readRetryAfter, SourceError } from '../../nodes/source-error.ts';

/** A node's own error. `code` is Solana's, or JSON-RPC's. */
export type SolanaRpcFailure = { readonly code: number; readonly message: string };

/** The result's JSON, unparsed: amounts above 2^53 stay exact, and blocks are parsed once. */
export type SolanaRpcAnswer = { readonly resultText: string } | { readonly failure: SolanaRpcFailure };

export type SolanaRpc = {
  /** Throws `SourceError` if there is no answer, or the signal's reason. */
  ask(method: string, params: readonly unknown[], signal: AbortSignal): Promise<SolanaRpcAnswer>;
};

export type SolanaRpcOptions = {
  readonly url: string;
  /** For a request with its whole answer. */
  readonly timeoutMs?: number;
  readonly answerBytesMax?: number;
  /** Shared by all fetchers: the bytes pending at once. */
  readonly budget?: AnswerBudget;
  /** Default: `history`. */
  readonly urgency?: Urgency;
};

const TIMEOUT_MS = 30_000;
/** Blocks are 5 to 10 MB, the largest seen are below 50. */
const ANSWER_BYTES_MAX = 128 << 20;

/** JSON-RPC over HTTP, one call a request: nodes limit by request, and one answer is large enough. */
export const createSolanaRpc = (options: SolanaRpcOptions): SolanaRpc => {
  const { timeoutMs = TIMEOUT_MS, answerBytesMax = ANSWER_BYTES_MAX, budget = UNBOUNDED } = options;
  const { urgency = 'history' } = options;
  const rate = rateOf(options.url);
  const { url: address, login } = splitLogin(options.url);
  const url = address.href;
  const headers = { 'content-type': 'application/json', ...loginHeaders(login) };
  const redact = createRedactor(options.url);
  const send = async (
    body: string,
    request: Request,
    signal: AbortSignal,
    received: Received,
  ): Promise<string> => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal: limited });
      rate.heed(request, response);
      const text = await readBounded(response, answerBytesMax, received);
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now());
      checkStatus(response, text, retryAfterMs);
      return text;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SourceError) throw error;
      // The error of fetch may contain the address, so it is not passed on.
      const message = limited.aborted ? `no answer within ${timeoutMs} ms` : 'the node cannot be reached';
      throw new SourceError('unreachable', message, { transient: true });
    }
  };
  return {
    ask: async (method, params, signal) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const request = { method, calls: 1, urgency };
      await rate.take(request, signal);
      const text = await budget.run(method, signal, (received) => send(body, request, signal, received));
      const answer = readAnswer(text, method, redact);
      if ('failure' in answer && isLimit(answer.failure)) rate.limited(request, answer.failure.message);
      return answer;
    },
  };
};

type Received = (bytes: number) => void;

const isLimit = ({ code, message }: SolanaRpcFailure): boolean =>
  code === 429 || /too many requests|rate.?limit/i.test(message);

const readBounded = async (response: Response, bytesMax: number, received: Received): Promise<string> => {
  const chunks: Uint8Array[] = [];
  const hasTooMany = createValueCount();
  let bytes = 0;
  // Leaving the loop by an error cancels the rest of the answer.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    received(chunk.byteLength);
    if (bytes > bytesMax) throw tooLarge(`${bytesMax} bytes`);
    if (hasTooMany(chunk)) throw tooLarge(`${CONTAINERS_MAX} objects and lists`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const tooLarge = (limit: string): SourceError =>
  new SourceError('answer_too_large', `the answer passes ${limit}`, { transient: false });

/** Some nodes send JSON-RPC errors with an error status: the error counts. */
const checkStatus = (response: Response, text: string, retryAfterMs: number | null): void => {
  const { status } = response;
  if (status === 429)
    throw new SourceError('rate_limited', 'the node limits the rate of requests', {
      transient: true,
      retryAfterMs,
    });
  if (response.ok || /"error"\s*:\s*\{/.test(text.slice(0, 1_000))) return;
  const transient = status >= 500 || status === 408;
  throw new SourceError('http_status', `the node answered with status ${status}`, {
    transient,
    retryAfterMs,
  });
};

// Everything of the envelope except the result, in any order.
const BEFORE_RESULT = /^\s*\{(?:\s*"(?:jsonrpc|id)"\s*:\s*(?:"[^"]*"|\d+|null)\s*,)*\s*"result"\s*:/;
const AFTER_RESULT = /(?:,\s*"(?:jsonrpc|id)"\s*:\s*(?:"[^"]*"|\d+|null)\s*)*\}\s*$/;
const ENVELOPE_LENGTH_MAX = 200;

const readAnswer = (text: string, method: string, redact: (text: string) => string): SolanaRpcAnswer => {
  const before = BEFORE_RESULT.exec(text.slice(0, ENVELOPE_LENGTH_MAX));
  const tailStart = Math.max(text.length - ENVELOPE_LENGTH_MAX, 0);
  const after = AFTER_RESULT.exec(text.slice(tailStart));
  if (before !== null && after !== null)
    return { resultText: text.slice(before[0].length, tailStart + after.index) };
  const error = readError(text, method);
  if (typeof error === 'object' && error !== null) {
    const { code, message } = error as Record<string, unknown>;
    const shown = `${method}: ${redact(String(message))} (${Number(code)})`;
    return { failure: { code: Number(code), message: shown } };
  }
  throw unusable(method);
};

const readError = (text: string, method: string): unknown => {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>).error : null;
  } catch {
    throw unusable(method);
  }
};

/** A short result; blocks keep large integers (`parseSolanaBlock`). Throws `SourceError` `not_json`. */
export const parseResult = (resultText: string, method: string): unknown => {
  try {
    return JSON.parse(resultText);
  } catch {
    throw unusable(method);
  }
};

const unusable = (method: string): SourceError =>
  new SourceError('not_json', `the answer to ${method} is cut short or is not JSON`, { transient: true });
