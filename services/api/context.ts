import type { DefaultContext, Middleware } from 'koa';
import type { Chain } from '../investigate/model/chain.ts';
import type { ReadingEvent } from './asking/read-missing.ts';
import type { CallerAddress } from './caller-address.ts';

/** The caller, as the request identifies it. */
export type Caller =
  | {
      readonly kind: 'account';
      readonly accountId: string;
      readonly keyId: string;
      readonly once?: OnceRequest | null;
      /** Whether its answer can no longer be written. Without it no client ever counts as gone. */
      readonly isGone?: () => Promise<boolean>;
    }
  /** No key: pays for this call by itself. */
  | { readonly kind: 'payer'; readonly exchange: PaymentExchange }
  /** No key needed: nobody has opened an account here yet. */
  | {
      readonly kind: 'anyone';
      /** Its address; null for this machine. */
      readonly from: string | null;
    }
  | { readonly kind: 'unknown'; readonly why: WhyUnknown };

/** A request that must be carried out once, however often it is sent. */
export type OnceRequest = {
  /** The Idempotency-Key as sent. */
  readonly key: string;
  readonly path: string;
  /** The parsed body. */
  body(): unknown;
};

/** `keys_unknown`: revocations cannot be known at the moment. */
export type WhyUnknown = 'key_missing' | 'key_invalid' | 'keys_unknown';

/** What a payment needs from its request and answer. */
export type PaymentExchange = {
  /** The caller's address. */
  readonly from: string;
  /** PAYMENT-SIGNATURE; null without one. */
  readonly sent: string | null;
  readonly path: string;
  readonly url: string;
  /** The parsed body. */
  body(): unknown;
  /** Sets a header on the answer, even on an error. */
  setHeader(name: string, value: string): void;
  /** Called when the client has the answer; never if the connection broke before. */
  onSent(hear: () => void): void;
  /** From here on the work continues even if the client leaves. */
  keepWorking(): void;
};

export type AccountCaller = Extract<Caller, { kind: 'account' }>;

export type ApiState = {
  /** Where the request comes from. */
  from: CallerAddress;
  /** Also in the answer's header x-request-id. */
  requestId: string;
  /** Aborts when the client leaves before its answer, on routes whose work is worth stopping. */
  signal: AbortSignal;
  /** From here on it does not abort. */
  keepWorking: () => void;
  /** The path of the matching route, not of the request; undefined without a match. */
  route?: string;
  /** PAYMENT-RESPONSE of a payment that was settled for this request. */
  paymentResponse?: string;
  /** The parsed body, on routes that take one. */
  body: unknown;
  /** Hears what is read while the caller waits; absent where the caller takes only the answer. */
  onReading?: (chain: Chain, event: ReadingEvent) => void;
  /** The caller, on routes that cost something or belong to an account. */
  caller: Caller;
  /** The code of the answered error, for the log. */
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
  /** The route's pattern. A raw path would give each scanner request its own series. */
  readonly route: string;
  readonly status: number;
  readonly durationSeconds: number;
};

export type ApiMetrics = {
  readonly observeRequest: (outcome: RequestOutcome) => void;
  /** All metrics of the process in the Prometheus text format. */
  readonly expose: () => Promise<{ readonly contentType: string; readonly text: string }>;
};
