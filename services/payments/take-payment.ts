import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentRequired } from '@x402/core/types';
import type { Clock } from '../platform/clock.ts';
import type { Answers } from './book/answers.ts';
import { createHandOver } from './book/hand-over.ts';
import { judge } from './decider/judge.ts';
import { isSolana } from './is-solana.ts';
import type { PaymentLimits } from './limits.ts';
import {
  type CheckedPayment,
  type CheckPayment,
  createCheckPayment,
  signedPayment,
} from './offer/check-payment.ts';
import type { Offers, PaidRequest } from './offer/offers.ts';
import type { Reason } from './reasons.ts';
import type { SettleDependencies } from './settle/settle-payment.ts';
import { createSettleWork, type Taken, type Work } from './settle/settle-work.ts';

export type TakePaymentDependencies = SettleDependencies & {
  readonly offers: Offers;
  readonly answers: Answers;
  readonly clock: Clock;
  readonly limits: Pick<PaymentLimits, 'workMs' | 'earlySettleMs'>;
};

export type Payments = {
  /** The price. Throws `PaymentsUnavailableError`. */
  offer(request: PaidRequest, refused: Reason | null): Promise<PaymentRequired>;
  readonly check: CheckPayment;
  /** Claims the payment, does the work, and settles. Throws what the work throws, and `PaymentsUnavailableError`. */
  take<T>(payment: CheckedPayment, request: PaidRequest, work: Work<T>): Promise<Taken<T>>;
};

export const createPayments = (dependencies: TakePaymentDependencies): Payments => {
  const { book, offers, answers, clock, limits } = dependencies;
  const { state } = book;
  const handOver = createHandOver(dependencies);
  const { settleAfter, settleEarly } = createSettleWork({ ...dependencies, handOver });

  const claim = async (payment: CheckedPayment, request: PaidRequest, claimId: string) => {
    const { wallet, sent, requirements, expiresUnixMs } = payment;
    const { network, asset, amount, payTo } = requirements;
    const atUnixMs = clock.nowUnixMs();
    const event = {
      type: 'PaymentClaimed',
      claimId,
      requestHash: request.hash,
      network,
      asset,
      amountRaw: amount,
      payTo,
      signed: JSON.stringify(signedPayment(sent, requirements)),
      expiresUnixMs,
      deadlineUnixMs: atUnixMs + limits.workMs,
      paymentId: sent.paymentId,
      grant: request.grant ?? null,
    } as const;
    // Known conflicts are not written: such a claim is free to make and would be kept for ever.
    const known = judge(state, { wallet, key: sent.key, atUnixMs, event });
    return known.counts ? book.record(wallet, sent.key, event) : known;
  };

  /** An answer that is ready and unpaid is not worked out again. */
  const withKept = async <T>(request: PaidRequest, work: Work<T>): ReturnType<Work<T>> => {
    const kept = state.unpaid.get(request.hash);
    const answer = kept && kept.untilUnixMs > clock.nowUnixMs() ? await answers.fetch(kept.answer) : null;
    return answer === null ? work() : { answer: answer as T, free: null };
  };

  const take: Payments['take'] = async (payment, request, work) => {
    const claimId = randomUUID();
    const claimed = await claim(payment, request, claimId);
    if (!claimed.counts) {
      const { refusal } = claimed;
      if (refusal === 'id_in_use') return { status: 'in_progress' };
      return { status: 'refused', reason: refusal === 'out_of_turn' ? 'payment_already_used' : refusal };
    }
    const working = withKept(request, work);
    // It is awaited below, possibly later.
    working.catch(() => {});
    const isEarly =
      isSolana(payment.requirements.network) && (await outlasts(working, payment.checkedUnixMs));
    if (!isEarly) return settleAfter(payment, claimId, working);
    request.keepWorking?.();
    return settleEarly(payment, claimId, working);
  };

  const outlasts = (working: Promise<unknown>, checkedUnixMs: number): Promise<boolean> => {
    const waitMs = Math.max(checkedUnixMs + limits.earlySettleMs - clock.nowUnixMs(), 0);
    const done = new AbortController();
    const isDone = (): false => {
      done.abort();
      return false;
    };
    return Promise.race([
      working.then(isDone, isDone),
      sleep(waitMs, true, { signal: done.signal }).catch(isDone),
    ]);
  };

  return { offer: offers.make, check: createCheckPayment({ ...dependencies, handOver }), take };
};
