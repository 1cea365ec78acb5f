import type { PaymentEntry, PaymentEvent, Wallet } from './events.ts';
import { judge, type Verdict } from './judge.ts';
import {
  ANSWER_KEPT_MS,
  FAILURE_WINDOW_MS,
  mattersUntilUnixMs,
  type PaymentState,
  type PaymentStatus,
  type PaymentsState,
  paymentIdKey,
  RELEASE_WINDOW_MS,
} from './state.ts';

const STATUS_AFTER = {
  SettlementStarted: 'settling',
  PaymentSettled: 'settled',
  PaymentUnknown: 'unknown',
  PaymentFailed: 'failed',
  PaymentReleased: 'released',
} as const satisfies Record<string, PaymentStatus>;

/** Applies an event that counts, in place. The same events in the same order give the same state. */
export const evolve = (state: PaymentsState, entry: PaymentEntry): Verdict => {
  const verdict = judge(state, entry);
  if (!verdict.counts) return verdict;
  const { key, atUnixMs, event } = entry;
  if (event.type === 'PaymentClaimed') begin(state, entry, event);
  else proceed(state, state.payments.get(key) as PaymentState, event, atUnixMs);
  return verdict;
};

const begin = (
  state: PaymentsState,
  { wallet, key, atUnixMs }: PaymentEntry,
  { type: _, ...claim }: Extract<PaymentEvent, { type: 'PaymentClaimed' }>,
): void => {
  const before = state.payments.get(key);
  // The payment was given back under another id, which no longer refers to it.
  if (before !== undefined) forgetPaymentId(state, before);
  state.payments.set(key, {
    ...{ wallet, key, claim, claimedUnixMs: atUnixMs, statusUnixMs: atUnixMs },
    ...{ status: 'claimed', answer: null, answerUnixMs: null, isFree: false },
    ...{ transaction: null, handOver: 'under_way' },
  });
  if (claim.paymentId !== null) state.byPaymentId.set(paymentIdKey(wallet, claim.paymentId), key);
};

const proceed = (
  state: PaymentsState,
  payment: PaymentState,
  event: Exclude<PaymentEvent, { type: 'PaymentClaimed' }>,
  atUnixMs: number,
): void => {
  if (event.type === 'WorkDone') {
    payment.answer = event.answer;
    payment.answerUnixMs = atUnixMs;
    payment.isFree = event.isFree;
    if (payment.status === 'claimed') payment.status = 'worked';
    if (payment.status === 'failed') keepUnpaid(state, payment, atUnixMs);
  } else if (event.type === 'AnswerGiven') payment.handOver = 'given';
  else {
    payment.status = STATUS_AFTER[event.type];
    payment.statusUnixMs = atUnixMs;
    if (event.type === 'PaymentUnknown' && payment.handOver === 'under_way') payment.handOver = 'owed';
    if (event.type === 'PaymentSettled') payment.transaction = event.transaction;
    end(state, payment, atUnixMs);
  }
};

/** Side effects of a payment's end. */
const end = (state: PaymentsState, payment: PaymentState, atUnixMs: number): void => {
  const { wallet, status, claim } = payment;
  if (status === 'settled') {
    state.failures.delete(wallet);
    state.releases.delete(wallet);
    // It was paid for after all.
    state.unpaid.delete(claim.requestHash);
  }
  if (status === 'released') {
    remember(state.releases, wallet, atUnixMs - RELEASE_WINDOW_MS, atUnixMs);
    // Drops the signed payment, the largest part: nobody settles it now, and a repetition brings another.
    payment.claim = { ...claim, signed: '' };
  }
  if (status === 'failed') {
    remember(state.failures, wallet, atUnixMs - FAILURE_WINDOW_MS, atUnixMs);
    keepUnpaid(state, payment, atUnixMs);
  }
};

const remember = (
  times: Map<Wallet, number[]>,
  wallet: Wallet,
  sinceUnixMs: number,
  atUnixMs: number,
): void => {
  const recent = (times.get(wallet) ?? []).filter((at) => at > sinceUnixMs);
  times.set(wallet, [...recent, atUnixMs]);
};

const keepUnpaid = (
  state: PaymentsState,
  { answer, isFree, claim }: PaymentState,
  atUnixMs: number,
): void => {
  if (answer === null || isFree) return;
  state.unpaid.set(claim.requestHash, { answer, untilUnixMs: atUnixMs + ANSWER_KEPT_MS });
};

const forgetPaymentId = ({ byPaymentId }: PaymentsState, { wallet, key, claim }: PaymentState): void => {
  const id = claim.paymentId === null ? null : paymentIdKey(wallet, claim.paymentId);
  // A newer payment may use the id by now.
  if (id !== null && byPaymentId.get(id) === key) byPaymentId.delete(id);
};

/** Verdicts must not depend on what a process has forgotten: another process's clock may be late. */
const CLOCKS_APART_MS = 60 * 60_000;

/** Forgets payments that no longer matter, and returns them. */
export const forget = (state: PaymentsState, clockUnixMs: number): PaymentState[] => {
  const forgotten: PaymentState[] = [];
  const nowUnixMs = clockUnixMs - CLOCKS_APART_MS;
  for (const [key, payment] of state.payments) {
    if (mattersUntilUnixMs(payment) > nowUnixMs) continue;
    state.payments.delete(key);
    forgotten.push(payment);
    forgetPaymentId(state, payment);
  }
  for (const [hash, { untilUnixMs }] of state.unpaid) if (untilUnixMs <= nowUnixMs) state.unpaid.delete(hash);
  for (const [wallet, times] of state.failures)
    if ((times.at(-1) ?? 0) <= nowUnixMs - FAILURE_WINDOW_MS) state.failures.delete(wallet);
  for (const [wallet, times] of state.releases)
    if ((times.at(-1) ?? 0) <= nowUnixMs - RELEASE_WINDOW_MS) state.releases.delete(wallet);
  return forgotten;
};
