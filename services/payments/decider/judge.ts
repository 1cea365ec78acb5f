import type { PaymentEntry, PaymentEvent } from './events.ts';
import {
  type Claim,
  countRecent,
  FAILURE_WINDOW_MS,
  FAILURES_MAX,
  findNamed,
  findPayment,
  type PaymentStatus,
  type PaymentsState,
  RELEASE_WINDOW_MS,
  RELEASES_MAX,
} from './state.ts';

export type Refusal =
  /** Claimed by another call or for another request, or already used. */
  | 'payment_already_used'
  /** The client's id belongs to a running call, or to one whose answer is kept. */
  | 'id_in_use'
  | 'payment_expired'
  | 'too_many_failed_settlements'
  | 'too_many_unpaid_calls'
  /** The claim has ended, or its state does not allow this event. */
  | 'out_of_turn';

export type Verdict = { readonly counts: true } | { readonly counts: false; readonly refusal: Refusal };

const COUNTS: Verdict = { counts: true };
const refuse = (refusal: Refusal): Verdict => ({ counts: false, refusal });

type AfterClaim = Exclude<PaymentEvent['type'], 'PaymentClaimed'>;

/** The states from which each event may come. */
const COMES_AFTER: Readonly<Record<AfterClaim, readonly PaymentStatus[]>> = {
  // With early settlement the work finishes later.
  WorkDone: ['claimed', 'settling', 'unknown', 'settled', 'failed'],
  SettlementStarted: ['claimed', 'worked'],
  PaymentSettled: ['settling', 'unknown'],
  PaymentUnknown: ['settling'],
  PaymentFailed: ['settling', 'unknown'],
  // Also possible when the settlement could not be recorded yet.
  AnswerGiven: ['settling', 'unknown', 'settled'],
  // Never after the money may have moved.
  PaymentReleased: ['claimed', 'worked'],
};

/**
 * Whether an event of the log counts. Pure, and based only on earlier events, so every process reaches the same
 * verdict. Of two claims of one payment the first in the log counts, and no lock is needed.
 */
export const judge = (state: PaymentsState, { wallet, key, atUnixMs, event }: PaymentEntry): Verdict => {
  const payment = state.payments.get(key);
  if (event.type !== 'PaymentClaimed') {
    if (payment?.claim.claimId !== event.claimId) return refuse('out_of_turn');
    return mayFollow(event, payment.status) ? COUNTS : refuse('out_of_turn');
  }
  const refusal = findRefusal(state, { wallet, key, atUnixMs, ...event });
  return refusal === null ? COUNTS : refuse(refusal);
};

type MayClaim = Pick<PaymentEntry, 'wallet' | 'key' | 'atUnixMs'> &
  Pick<Claim, 'requestHash' | 'expiresUnixMs' | 'paymentId'>;

/** Why a claim would not count, as far as the log was read; null if it may. */
export const findRefusal = (
  state: PaymentsState,
  { wallet, key, atUnixMs, requestHash, expiresUnixMs, paymentId }: MayClaim,
): Exclude<Refusal, 'out_of_turn'> | null => {
  if (expiresUnixMs <= atUnixMs) return 'payment_expired';
  const named = findNamed(state, wallet, paymentId, atUnixMs);
  if (named !== undefined && named.status !== 'failed' && named.status !== 'released') return 'id_in_use';
  const payment = findPayment(state, key, atUnixMs);
  if (payment !== undefined) {
    // A payment given back unused may be sent again for the same request.
    const isFree = payment.status === 'released' && payment.claim.requestHash === requestHash;
    if (!isFree) return 'payment_already_used';
  }
  if (countRecent(state.failures.get(wallet), atUnixMs, FAILURE_WINDOW_MS) >= FAILURES_MAX)
    return 'too_many_failed_settlements';
  if (countRecent(state.releases.get(wallet), atUnixMs, RELEASE_WINDOW_MS) >= RELEASES_MAX)
    return 'too_many_unpaid_calls';
  return null;
};

const mayFollow = (event: Extract<PaymentEvent, { type: AfterClaim }>, status: PaymentStatus): boolean => {
  // An unknown settlement may be under way in another process.
  if (event.type === 'PaymentFailed' && !event.isFinal) return status === 'settling';
  return COMES_AFTER[event.type].includes(status);
};
