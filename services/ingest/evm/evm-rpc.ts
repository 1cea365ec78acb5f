import { getHttpRpcClient } from 'viem/utils';
import { loginHeaders, splitLogin } from '../../platform/login.ts';
import { CONTAINERS_MAX, createValueCount } from '../block-limits.ts';
import { type AnswerBudget, UNBOUNDED } from '../nodes/answer-budget.ts';
import { type Request, type RequestRate, rateOf, type Urgency } from '../nodes/request-rate.ts';
import { createRedactor, readRetryAfter, SourceError } from '../nodes/source-error.ts';
import { fieldOf } from './read-hex.ts';

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

/** A node's error, by what can be done about it. */
export type RpcFailure = {
  /** `method_missing`: this node never answers this method. `rate_limited` and `transient`: ask again. */
  readonly kind: 'method_missing' | 'rate_limited' | 'transient' | 'refused';
  readonly message: string;
};

/** The node's result, untouched (hex stays hex), or its error. */
export type RpcAnswer = { readonly result: unknown } | { readonly failure: RpcFailure };

export type EvmRpc = {
  /**
   * Answers in the order of the calls, in one request if the node can. Throws `SourceError` if there is no answer,
   * or the signal's reason.
   */
  ask(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcAnswer[]>;
};

export type EvmRpcOptions = {
  readonly url: string;
  /** For a request with its whole answer. */
  readonly timeoutMs?: number;
  /** Traces of a full block can pass 50 MB. */
  readonly answerBytesMax?: number;
  /** Shared by all fetchers: the bytes pending at once. */
  readonly budget?: AnswerBudget;
  /** Default: `history`. */
  readonly urgency?: Urgency;
};

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 256 << 20;

/** JSON-RPC over HTTP by viem's client, without its formatting, caching and retries. */
export const createEvmRpc = ({
  url,
  timeoutMs = TIMEOUT_MS,
  answerBytesMax = ANSWER_BYTES_MAX,
  budget = UNBOUNDED,
  urgency = 'history',
}: EvmRpcOptions): EvmRpc => {
  const redact = createRedactor(url);
  const rate = rateOf(url);
  const send = createSend({ url, timeoutMs, answerBytesMax, rate });
  // Learned once: some nodes cannot take several calls in one request.
  let batches = true;

  const run = async (
    calls: readonly RpcCall[],
    body: NumberedCall | NumberedCall[],
    signal: AbortSignal,
  ): Promise<unknown> => {
    const method = [...new Set(calls.map((call) => call.method))].join();
    const request = { method, calls: calls.length, urgency };
    await rate.take(request, signal);
    return budget.run(method, signal, (received) => send(body, request, signal, received));
  };

  /** Some nodes refuse single calls of an answer that succeeds. */
  const noteLimits = (answers: readonly RpcAnswer[], calls: readonly RpcCall[]): RpcAnswer[] => {
    for (const [at, answer] of answers.entries())
      if ('failure' in answer && answer.failure.kind === 'rate_limited')
        rate.limited({ method: calls[at]?.method ?? '', calls: 1, urgency }, answer.failure.message);
    return [...answers];
  };

  const askOne = async (call: RpcCall, signal: AbortSignal): Promise<RpcAnswer> => {
    const answer = readAnswer(await run([call], { ...call, id: 1 }, signal), call, redact);
    noteLimits([answer], [call]);
    return answer;
  };

  return {
    ask: async (calls, signal) => {
      const [first, ...others] = calls;
      if (first === undefined) return [];
      if (others.length === 0) return [await askOne(first, signal)];
      if (batches) {
        const body = calls.map((call, position) => ({ ...call, id: position + 1 }));
        const answers = await run(calls, body, signal).catch(refusedBatch);
        if (Array.isArray(answers)) return noteLimits(matchAnswers(calls, answers, redact), calls);
        const failure = answers === null ? null : readFailure(answers, first, redact);
        if (failure?.kind === 'rate_limited') {
          rate.limited({ method: first.method, calls: calls.length, urgency }, failure.message);
          throw statusError(TOO_MANY_REQUESTS, null);
        }
        batches = failure?.kind === 'transient';
      }
      const answers: RpcAnswer[] = [];
      for (const call of calls) answers.push(await askOne(call, signal));
      return answers;
    },
  };
};

type NumberedCall = RpcCall & { readonly id: number };
type Received = (bytes: number) => void;
type Send = (
  body: NumberedCall | NumberedCall[],
  request: Request,
  signal: AbortSignal,
  received: Received,
) => Promise<unknown>;
type SendOptions = Required<Pick<EvmRpcOptions, 'url' | 'timeoutMs' | 'answerBytesMax'>> & {
  readonly rate: RequestRate;
};

const createSend = ({ url, timeoutMs, answerBytesMax, rate }: SendOptions): Send => {
  const { url: address, login } = splitLogin(url);
  // Bytes are counted below, and viem's own time limit ends with the headers.
  const client = getHttpRpcClient(address.href, { maxResponseBodySize: false, timeout: 0 });
  return async (body, request, signal, received) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    let status = 0;
    let retryAfterMs: number | null = null;
    try {
      const answer: unknown = await client.request({
        body,
        fetchFn: async (address, init) => {
          const response = await fetch(address, init);
          status = response.status;
          retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now());
          rate.heed(request, response);
          return bound(response, answerBytesMax, received);
        },
        fetchOptions: { signal: limited, headers: loginHeaders(login) },
      });
      if (isBelieved(status, answer)) return answer;
      throw statusError(status, retryAfterMs);
    } catch (error) {
      signal.throwIfAborted();
      if (limited.aborted) throw unreachable(`no answer within ${timeoutMs} ms`);
      throw toSourceError(error, status, retryAfterMs);
    }
  };
};

/**
 * A failing gateway may answer in the form of a node's error, which says nothing about the call; a missing method
 * is not a failure. With an error status only the form of a JSON-RPC error counts as an answer.
 */
const isBelieved = (status: number, answer: unknown): boolean => {
  if (isSuccess(status)) return true;
  if (status === TOO_MANY_REQUESTS) return false;
  const codes = [answer].flat().map((one) => fieldOf(fieldOf(one, 'error'), 'code'));
  return (
    codes.includes(METHOD_NOT_FOUND) ||
    (status < 500 && !Array.isArray(answer) && typeof codes[0] === 'number')
  );
};

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** The response, as long as its bytes and values fit the memory limits; its status is judged with its answer. */
const bound = (response: Response, bytesMax: number, received: Received): Response => {
  const hasTooMany = createValueCount();
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, onward) => {
      bytes += chunk.byteLength;
      received(chunk.byteLength);
      if (bytes > bytesMax) throw tooLarge(`${bytesMax} bytes`);
      if (hasTooMany(chunk)) throw tooLarge(`${CONTAINERS_MAX} objects and lists`);
      onward.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(counting) ?? null, { headers: response.headers });
};

/** null: the node refuses several calls in one request by status. Other errors are thrown. */
const refusedBatch = (error: unknown): null => {
  if (error instanceof SourceError && error.code === 'http_status' && !error.transient) return null;
  throw error;
};

const tooLarge = (limit: string): SourceError =>
  new SourceError('answer_too_large', `the answer passes ${limit}`, { transient: false });

const METHOD_NOT_FOUND = -32_601;
const TOO_MANY_REQUESTS = 429;
const statusError = (status: number, retryAfterMs: number | null): SourceError =>
  status === TOO_MANY_REQUESTS
    ? new SourceError('rate_limited', 'the node limits the rate of requests', {
        transient: true,
        retryAfterMs,
      })
    : new SourceError('http_status', `the node answered with status ${status}`, {
        transient: status >= 500 || status === 408,
        retryAfterMs,
      });

const unreachable = (message: string): SourceError =>
  new SourceError('unreachable', message, { transient: true });

// viem's messages and causes contain the address, so neither is passed on.
const toSourceError = (error: unknown, status: number, retryAfterMs: number | null): SourceError => {
  const own = error instanceof Error && error.cause instanceof SourceError ? error.cause : error;
  if (own instanceof SourceError) return own;
  if (status === 0) return unreachable('the node cannot be reached');
  if (!isSuccess(status)) return statusError(status, retryAfterMs);
  return new SourceError('not_json', 'the answer is cut short or is not JSON', { transient: true });
};

const matchAnswers = (
  calls: readonly RpcCall[],
  answers: readonly unknown[],
  redact: (text: string) => string,
): RpcAnswer[] => {
  const byId = new Map(answers.map((answer) => [Number(fieldOf(answer, 'id')), answer]));
  return calls.map((call, position) => readAnswer(byId.get(position + 1), call, redact));
};

const readAnswer = (answer: unknown, call: RpcCall, redact: (text: string) => string): RpcAnswer => {
  const failure = readFailure(answer, call, redact);
  if (failure !== null) return { failure };
  const result = fieldOf(answer, 'result');
  if (result !== undefined) return { result };
  throw new SourceError('not_json', `the answer to ${call.method} has neither result nor error`, {
    transient: true,
  });
};

const MISSING =
  /method.*(not (found|available|supported|allowed|whitelisted|exist)|does not exist|disabled)|unsupported method|^\w+_\w+ is not available/i;
/** Errors that waiting does not solve. */
const TOO_MUCH = /too large|too big|too long|time.?out|timed out|\bsize\b|\bbytes\b|\bresults\b/i;
const LIMITED = /rate.?limit|too many requests|exceeded.*(limit|capacity|compute|credits)|request limit/i;

const readFailure = (
  answer: unknown,
  { method }: RpcCall,
  redact: (text: string) => string,
): RpcFailure | null => {
  const error = fieldOf(answer, 'error');
  if (error === undefined || error === null) return null;
  const code = Number(fieldOf(error, 'code'));
  const text = String(fieldOf(error, 'message') ?? error);
  return { kind: kindOf(code, text), message: `${method}: ${redact(text)} (${code})` };
};

const kindOf = (code: number, message: string): RpcFailure['kind'] => {
  if (code === METHOD_NOT_FOUND || code === -32_004 || MISSING.test(message)) return 'method_missing';
  const soundsLimited = code === -32_005 || code === -32_016 || LIMITED.test(message);
  if (code === 429 || (soundsLimited && !TOO_MUCH.test(message))) return 'rate_limited';
  // Server and internal errors; an invalid request stays invalid.
  return code === -32_000 || code === -32_603 ? 'transient' : 'refused';
};
