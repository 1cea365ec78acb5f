import type { Clock } from '../../platform/clock.ts';
import type { PaymentState } from '../decider/state.ts';
import type { PaymentBook } from './payment-book.ts';

export type HandOver = {
  /**
   * Decides whether the sender of a repeated payment may have its answer. Settled payments can be read on chain by
   * anybody, so the answer is handed over only if the payer cannot have it already.
   */
  stateOf(payment: PaymentState): 'under_way' | 'owed' | 'given';
  /** Call it when the client has the answer. */
  confirm(payment: PaymentState): void;
};

/** An answer not given this long after it was ready and settled was lost on its way, or with its process. */
const GIVEN_WITHIN_MS = 5_000;

export const createHandOver = ({
  book,
  clock,
  onError,
}: {
  book: Pick<PaymentBook, 'record'>;
  clock: Clock;
  onError: (error: unknown) => void;
}): HandOver => {
  // Known here before it is in the log.
  const given = new WeakSet<PaymentState>();
  return {
    stateOf: (payment) => {
      if (given.has(payment)) return 'given';
      const { handOver, status, statusUnixMs, answerUnixMs, claim } = payment;
      if (handOver === 'given' || status !== 'settled') return handOver;
      const nowUnixMs = clock.nowUnixMs();
      // The payment was settled early and the work still runs.
      if (answerUnixMs === null && claim.deadlineUnixMs > nowUnixMs) return 'under_way';
      if (handOver === 'owed') return 'owed';
      const readyUnixMs = Math.max(statusUnixMs, answerUnixMs ?? 0);
      return readyUnixMs + GIVEN_WITHIN_MS > nowUnixMs ? 'under_way' : 'owed';
    },
    confirm: (payment) => {
      if (given.has(payment) || payment.handOver === 'given') return;
      given.add(payment);
      const { wallet, key, claim } = payment;
      book.record(wallet, key, { type: 'AnswerGiven', claimId: claim.claimId }).catch(onError);
    },
  };
};
