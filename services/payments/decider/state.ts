import type { PaymentEvent, Wallet } from './events.ts';

export type Claim = Omit<Extract<PaymentEvent, { type: 'PaymentClaimed' }>, 'type'>;

/**
 * claimed ─► worked ─► settling ─► settled
 *    │         │          ├─► unknown ─► settled | failed
 *    └─────────┴─► released   └─► failed
 * A claim may also go from `claimed` to `settling`: a Solana payment that would expire before its work is done.
 */
export type PaymentStatus = 'claimed' | 'worked' | 'settling' | 'unknown' | 'settled' | 'failed' | 'released';

/** One payment, derived only from its events. */
export type PaymentState = {
  readonly wallet: Wallet;
  readonly key: string;
  /** Without `signed` after it was given back. */
  claim: Claim;
  readonly claimedUnixMs: number;
  status: PaymentStatus;
  statusUnixMs: number;
  /** Where the answer is kept; null while there is none. */
  answer: string | null;
  /** When it was ready; null while there is none. */
  answerUnixMs: number | null;
  /** The answer is free: if its payment failed it is not sold to others. */
  isFree: boolean;
  transaction: string | null;
  /**
   * Who has the answer. `under_way`: the claiming process and its client. `owed`: the client was sent away and may
   * fetch it with the same payment. `given`: the client has it.
   */
  handOver: 'under_way' | 'owed' | 'given';
};

/** A payer with this many failed settlements within this time gets no work done for as long. */
export const FAILURES_MAX = 3;
export const FAILURE_WINDOW_MS = 15 * 60_000;
/** After this many failed or free calls in a row within this time the wallet must pay for one. */
export const RELEASES_MAX = 60;
export const RELEASE_WINDOW_MS = 15 * 60_000;
/** How long an answer is kept for a new payment after a failed settlement. */
export const ANSWER_KEPT_MS = 15 * 60_000;
/** How long after its claim a paid answer can be fetched. The log keeps it at least as long. */
export const PAID_ANSWER_KEPT_MS = 86_400_000;

/** All payments that still matter, and indexes over them. */
export type PaymentsState = {
  readonly payments: Map<string, PaymentState>;
  /** Failed settlements of each wallet, oldest first. */
  readonly failures: Map<Wallet, number[]>;
  /** Payments given back since the wallet last paid, oldest first. */
  readonly releases: Map<Wallet, number[]>;
  /** Answers whose payment failed, by request hash. */
  readonly unpaid: Map<string, { readonly answer: string; readonly untilUnixMs: number }>;
  /** Payment keys by wallet and the client's id. */
  readonly byPaymentId: Map<string, string>;
};

export const initialState = (): PaymentsState => ({
  payments: new Map(),
  failures: new Map(),
  releases: new Map(),
  unpaid: new Map(),
  byPaymentId: new Map(),
});

/** Final states. */
export const ENDED: readonly PaymentStatus[] = ['settled', 'failed', 'released'];

/**
 * How long a payment matters: until it has ended, its answer can no longer be fetched, and the chain would refuse
 * it. Payments that bought credits matter for ever, because the credits may still have to be given.
 */
export const mattersUntilUnixMs = (payment: PaymentState): number => {
  const { status, statusUnixMs, claim } = payment;
  if (!ENDED.includes(status) || (status === 'settled' && claim.grant !== null))
    return Number.POSITIVE_INFINITY;
  return Math.max(claim.expiresUnixMs, statusUnixMs + ANSWER_KEPT_MS, fetchableUntilUnixMs(payment));
};

/** The payment under a key. The result is the same in every process, whatever it has forgotten. */
export const findPayment = (
  { payments }: PaymentsState,
  key: string,
  nowUnixMs: number,
): PaymentState | undefined => {
  const payment = payments.get(key);
  return payment !== undefined && mattersUntilUnixMs(payment) > nowUnixMs ? payment : undefined;
};

export const paymentIdKey = (wallet: Wallet, paymentId: string): string => `${wallet} ${paymentId}`;

/** Until when a paid answer may be fetched, by the payment that never got it or under the client's id. */
export const fetchableUntilUnixMs = ({ status, claim, claimedUnixMs, handOver }: PaymentState): number =>
  status === 'settled' && (claim.paymentId !== null || handOver !== 'given')
    ? claimedUnixMs + PAID_ANSWER_KEPT_MS
    : 0;

/** The newest payment with this client id; none if its answer is no longer kept. */
export const findNamed = (
  { payments, byPaymentId }: PaymentsState,
  wallet: Wallet,
  paymentId: string | null,
  nowUnixMs: number,
): PaymentState | undefined => {
  const key = paymentId === null ? undefined : byPaymentId.get(paymentIdKey(wallet, paymentId));
  const named = key === undefined ? undefined : payments.get(key);
  return named?.status === 'settled' && fetchableUntilUnixMs(named) <= nowUnixMs ? undefined : named;
};

/** How many of these times lie within the window that ends now. */
export const countRecent = (times: readonly number[] = [], nowUnixMs: number, windowMs: number): number =>
  times.filter((at) => at > nowUnixMs - windowMs).length;
