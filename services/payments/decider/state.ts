import type { PaymentEvent, Wallet } from './events.ts';

export type Claim = Omit<Extract<PaymentEvent, { type: 'PaymentClaimed' }>, 'type'>;

/**
 * claimed ─► worked ─► settling ─► settled
 *    │         │          ├─► unknown ─► settled | failed
 *    └─────────┴─► released   └─► failed
 * A claim may also go from `claimed` to `settling`: a Solana payment that would expire before its work is done.
 */
export type PaymentStatus = 'claimed' | 'worked' | 'settling' | 'unknown' | 'settled' | 'failed' | 'released';

/** One payment: nothing but what its events say. */
export type PaymentState = {
  readonly wallet: Wallet;
  readonly key: string;
  /** Without `signed` once it was given back. */
  claim: Claim;
  readonly claimedUnixMs: number;
  status: PaymentStatus;
  statusUnixMs: number;
  /** Where the answer is kept; null while there is none. */
  answer: string | null;
  /** Since when it is there; null while there is none. */
  answerUnixMs: number | null;
  /** The answer costs nothing: where its payment failed it is sold to nobody else. */
  isFree: boolean;
  transaction: string | null;
  /**
   * Where the client and its answer are: the process that claimed the payment has both; the client was sent away without
   * it, its settlement being unknown, and may fetch it with the same payment; or it has it.
   */
  handOver: 'under_way' | 'owed' | 'given';
};

/** A payer whose settlements fail so often within this time gets no work done for as long. */
export const FAILURES_MAX = 3;
export const FAILURE_WINDOW_MS = 15 * 60_000;
/** So many calls in a row that came to nothing, or were free, within this time: then the wallet has to pay for one. */
export const RELEASES_MAX = 60;
export const RELEASE_WINDOW_MS = 15 * 60_000;
/** How long an answer is kept for whoever pays for it after all. */
export const ANSWER_KEPT_MS = 15 * 60_000;
/** How long what was paid for can be fetched, from the claim on: its answer lies in the log at least so long. */
export const PAID_ANSWER_KEPT_MS = 86_400_000;

/** All payments that still matter, and what follows from them. */
export type PaymentsState = {
  readonly payments: Map<string, PaymentState>;
  /** When settlements of a wallet failed, oldest first. */
  readonly failures: Map<Wallet, number[]>;
  /** When payments of a wallet were given back since it last paid, oldest first. */
  readonly releases: Map<Wallet, number[]>;
  /** Answers whose payment failed, by the hash of their request. */
  readonly unpaid: Map<string, { readonly answer: string; readonly untilUnixMs: number }>;
  /** Keys of payments by the wallet and the id that the client chose. */
  readonly byPaymentId: Map<string, string>;
};

export const initialState = (): PaymentsState => ({
  payments: new Map(),
  failures: new Map(),
  releases: new Map(),
  unpaid: new Map(),
  byPaymentId: new Map(),
});

/** Those after which nothing happens to a payment. */
export const ENDED: readonly PaymentStatus[] = ['settled', 'failed', 'released'];

/**
 * Until when it matters: until it has ended, nobody may fetch its answer any longer and the chain would not take it again. For
 * ever where it bought credits, which may have to be given yet: they are few, and were paid for.
 */
export const mattersUntilUnixMs = (payment: PaymentState): number => {
  const { status, statusUnixMs, claim } = payment;
  if (!ENDED.includes(status) || (status === 'settled' && claim.grant !== null))
    return Number.POSITIVE_INFINITY;
  return Math.max(claim.expiresUnixMs, statusUnixMs + ANSWER_KEPT_MS, fetchableUntilUnixMs(payment));
};

/** The payment under a key, the same for every process, whatever each has forgotten by then of what matters no more. */
export const findPayment = (
  { payments }: PaymentsState,
  key: string,
  nowUnixMs: number,
): PaymentState | undefined => {
  const payment = payments.get(key);
  return payment !== undefined && mattersUntilUnixMs(payment) > nowUnixMs ? payment : undefined;
};

export const paymentIdKey = (wallet: Wallet, paymentId: string): string => `${wallet} ${paymentId}`;

/** Until when an answer may be asked for that was paid for: by the payment that never got it, or under the client's id. */
export const fetchableUntilUnixMs = ({ status, claim, claimedUnixMs, handOver }: PaymentState): number =>
  status === 'settled' && (claim.paymentId !== null || handOver !== 'given')
    ? claimedUnixMs + PAID_ANSWER_KEPT_MS
    : 0;

/** The payment that a client gave this id last; none where the answer that it bought is kept no longer. */
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

/** How many of these times lie within a window that ends now. */
export const countRecent = (times: readonly number[] = [], nowUnixMs: number, windowMs: number): number =>
  times.filter((at) => at > nowUnixMs - windowMs).length;
