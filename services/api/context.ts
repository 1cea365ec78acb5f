import type { DefaultContext, Middleware } from 'koa';
import type { CallerAddress } from './caller-address.ts';

/** Who calls, as far as the request says. */
export type Caller =
  | {
      readonly kind: 'account';
      readonly accountId: string;
      readonly keyId: string;
      readonly once?: OnceRequest | null;
      /** Whether its answer cannot be written any more, once it is its turn on the line; nobody is ever gone without it. */
      readonly isGone?: () => Promise<boolean>;
    }
  /** No key: pays for this call by itself, or is asked to. */
  | { readonly kind: 'payer'; readonly exchange: PaymentExchange }
  /** No key, and none is asked for: nobody has opened an account here yet. */
  | {
      readonly kind: 'anyone';
      /** Its address; null for this machine. */
      readonly from: string | null;
    }
  | { readonly kind: 'unknown'; readonly why: WhyUnknown };

/** A request that is to be carried out once, however often it is sent. */
export type OnceRequest = {
  /** Idempotency-Key, as it was sent. */
  readonly key: string;
  readonly path: string;
  /** As it was parsed. */
  body(): unknown;
};

/** `keys_unknown`: it cannot be told at the moment which keys are revoked. */
export type WhyUnknown = 'key_missing' | 'key_invalid' | 'keys_unknown';

/** What a payment needs of the request and the answer that it belongs to. */
export type PaymentExchange = {
  /** The address that the request came from. */
  readonly from: string;
  /** PAYMENT-SIGNATURE; null without one. */
  readonly sent: string | null;
  readonly path: string;
  readonly url: string;
  /** As it was parsed. */
  body(): unknown;
  /** On the answer, whatever becomes of it. */
  setHeader(name: string, value: string): void;
  /** Once the client has the answer; never where its connection was lost before. */
  onSent(hear: () => void): void;
  /** The work goes on from here though the client goes. */
  keepWorking(): void;
};

export type AccountCaller = Extract<Caller, { kind: 'account' }>;

export type ApiState = {
  /** Where the request comes from. */
  from: CallerAddress;
  /** Also in the header x-request-id of the answer. */
  requestId: string;
  /** Aborts when the client is gone before its answer was; on the routes whose work is worth stopping. */
  signal: AbortSignal;
  /** From here on it does not. */
  keepWorking: () => void;
  /** The path of the route that answers, not of the request; undefined where there is none. */
  route?: string;
  /** The parsed body of a route that takes one. */
  body: unknown;
  /** Who calls; known on the routes that cost something or belong to an account. */
  caller: Caller;
  /** The code of the error that was answered, for the log. */
  errorCode: string | null;
};

export type ApiMiddleware = Middleware<ApiState, DefaultContext>;

/** The part of a pino logger that the API uses. */
export type ApiLogger = {
  readonly info: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};

export type RequestOutcome = {
  readonly method: string;
  /** The route's pattern, so that a scanner's paths do not each become a series of their own. */
  readonly route: string;
  readonly status: number;
  readonly durationSeconds: number;
};

export type ApiMetrics = {
  readonly observeRequest: (outcome: RequestOutcome) => void;
  /** All metrics of the process in the Prometheus text format. */
  readonly expose: () => Promise<{ readonly contentType: string; readonly text: string }>;
};
