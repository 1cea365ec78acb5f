import createClient from 'openapi-fetch';
import type { operations, paths } from './api.d.ts';
import { iterateSteps, type Step, tellSteps } from './read-steps.ts';
import { retrySafely } from './retry-safely.ts';
import { SpoorError } from './spoor-error.ts';

type Body<Id extends keyof operations> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer B } };
}
  ? B
  : never;
type Answer<Id extends keyof operations> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer A } } };
}
  ? A
  : never;

export type FollowBody = Body<'follow'>;
type TrailBody = Omit<FollowBody, 'graph' | 'starts' | 'min_usd' | 'min_probability'>;
type FlowBody = Omit<FollowBody, 'graph' | 'backward' | 'until'>;
export type TraceBody = Body<'trace'>;
export type Trail = Extract<Answer<'follow'>, { hops: unknown }>;
/** All money out of some wallets, over every branch. */
export type Flow = Extract<Answer<'follow'>, { nodes: unknown }>;
export type Trace = Answer<'trace'>;
export type RetraceJob = Answer<'getRetrace'>;
export type RetraceResults = Answer<'listRetraceResults'>;
export type Profile = Answer<'analyze'>;
export type Insiders = Answer<'insiders'>;
export type Victims = Answer<'victims'>;
export type Transaction = Answer<'tx'>;

export type SpoorOptions = {
  readonly url: string | URL;
  /** The API key that pays. Without it the service must be open, or `fetch` must pay. */
  readonly key?: string;
  /** For example `wrapFetchWithPayment` of `@x402/fetch`, which pays each call. */
  readonly fetch?: typeof fetch;
  /** How often a safe call is repeated; default 3. */
  readonly retries?: number;
};

export type CallOptions = {
  readonly signal?: AbortSignal;
  /** Chosen by the caller: the same key returns the same answer for a day. By default each call gets a new one. */
  readonly idempotencyKey?: string;
  /** Hears what the service reads from chains meanwhile. */
  readonly onStep?: (step: Step) => void;
};

/**
 * A client of one service. Each method asks one question, and throws `SpoorError` where the service refuses it. With a key
 * every call carries an Idempotency-Key, so that sending it again after a lost connection costs nothing.
 */
export const createSpoor = ({ url, key, fetch: send = fetch, retries = 3 }: SpoorOptions) => {
  const sendSafely = retrySafely(send, retries);
  const client = createClient<paths>({
    baseUrl: String(url).replace(/\/$/, ''),
    fetch: sendSafely,
    ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
  });
  const optionsOf = ({ signal, idempotencyKey, onStep }: CallOptions) => ({
    ...(signal && { signal }),
    ...(onStep && { fetch: tellSteps(sendSafely, onStep) }),
    ...(key !== undefined && { headers: { 'Idempotency-Key': idempotencyKey ?? createKey() } }),
  });

  return {
    /** The steps of a question as they come, and its answer as the last value: `steps((onStep) => spoor.follow(body, { onStep }))`. */
    steps: iterateSteps,
    analyze: async (body: Body<'analyze'>, options: CallOptions = {}): Promise<Profile> =>
      unwrap(await client.POST('/analyze', { body, ...optionsOf(options) })),
    follow: async (body: TrailBody, options: CallOptions = {}): Promise<Trail> =>
      unwrap<Answer<'follow'>>(await client.POST('/follow', { body, ...optionsOf(options) })) as Trail,
    followGraph: async (body: FlowBody, options: CallOptions = {}): Promise<Flow> =>
      unwrap<Answer<'follow'>>(
        await client.POST('/follow', { body: { ...body, graph: true }, ...optionsOf(options) }),
      ) as Flow,
    trace: async (body: TraceBody, options: CallOptions = {}): Promise<Trace> =>
      unwrap(await client.POST('/trace', { body, ...optionsOf(options) })),
    insiders: async (body: Body<'insiders'>, options: CallOptions = {}): Promise<Insiders> =>
      unwrap(await client.POST('/insiders', { body, ...optionsOf(options) })),
    victims: async (body: Body<'victims'>, options: CallOptions = {}): Promise<Victims> =>
      unwrap(await client.POST('/victims', { body, ...optionsOf(options) })),
    tx: async (body: Body<'tx'>, options: CallOptions = {}): Promise<Transaction> =>
      unwrap(await client.POST('/tx', { body, ...optionsOf(options) })),
    startRetrace: async (body: Body<'startRetrace'>, options: CallOptions = {}): Promise<RetraceJob> =>
      unwrap(await client.POST('/retrace', { body, ...optionsOf(options) })),
    retrace: async (id: string): Promise<RetraceJob> =>
      unwrap(await client.GET('/retrace/{id}', { params: { path: { id } } })),
    repeatRetrace: async (id: string): Promise<RetraceJob> =>
      unwrap(await client.POST('/retrace/{id}/again', { params: { path: { id } } })),
    cancelRetrace: async (id: string): Promise<RetraceJob> =>
      unwrap(await client.DELETE('/retrace/{id}', { params: { path: { id } } })),
    retraceResults: async (
      id: string,
      page: { readonly cursor?: string; readonly limit?: number } = {},
    ): Promise<RetraceResults> =>
      unwrap(await client.GET('/retrace/{id}/results', { params: { path: { id }, query: page } })),
    signals: async (): Promise<Answer<'listSignals'>> => unwrap(await client.GET('/signals')),
    status: async (): Promise<Answer<'getStatus'>> => unwrap(await client.GET('/status')),
    account: async (): Promise<Answer<'getAccount'>> => unwrap(await client.GET('/billing/account')),
    usage: async (days: number): Promise<Answer<'getUsage'>> =>
      unwrap(await client.GET('/billing/usage/{days}', { params: { path: { days } } })),
  };
};

export type Spoor = ReturnType<typeof createSpoor>;

/** `crypto.randomUUID` is missing on pages without https. */
const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

type Outcome = { readonly data?: unknown; readonly error?: unknown; readonly response: Response };

/** The library's types lose fields that can only be null; the document's types are right. */
const unwrap = <T>({ data, error, response }: Outcome): T => {
  if (data !== undefined) return data as T;
  throw new SpoorError(response.status, error);
};
