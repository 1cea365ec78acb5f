import { randomUUID } from 'node:crypto';
import type { PaymentRequired } from '@x402/core/types';
import type { Clock } from '../platform/clock.ts';
import type { Answers } from './answers.ts';
import {
  type CheckedPayment,
  type CheckPayment,
  createCheckPayment,
  type Receipt,
  receiptOf,
} from './check-payment.ts';
import type { SignedPayment } from './facilitator.ts';
import type { Offers, PaidRequest } from './offers.ts';
import type { Reason } from './reasons.ts';
import { type SettleDependencies, settlePayment } from './settle-payment.ts';

export type Taken<T> =
  | { readonly status: 'paid'; readonly answer: T; readonly receipt: Receipt }
  | { readonly status: 'free'; readonly answer: T }
  | { readonly status: 'refused'; readonly reason: Reason }
  | { readonly status: 'settlement_failed'; readonly reason: Reason; readonly receipt: Receipt }
  | { readonly status: 'unknown' };

type Work<T> = () => Promise<{ readonly answer: T; readonly free: string | null }>;

export type TakePaymentDependencies = SettleDependencies & {
  readonly offers: Offers;
  readonly answers: Answers;
  readonly clock: Clock;
  /** A call's work and its settlement are over by then, or it died. */
  readonly deadlineMs?: number;
};

export type Payments = {
  /** What the client is asked for. Throws `PaymentsUnavailableError`. */
  offer(request: PaidRequest, refused: Reason | null): Promise<PaymentRequired>;
  readonly check: CheckPayment;
  /** Claims the payment, does the work, and settles. Throws what the work throws, and `PaymentsUnavailableError`. */
  take<T>(payment: CheckedPayment, request: PaidRequest, work: Work<T>): Promise<Taken<T>>;
};

const DEADLINE_MS = 150_000;

export const createPayments = (dependencies: TakePaymentDependencies): Payments => {
  const { book, offers, answers, clock, onError } = dependencies;
  const { state } = book;

  const claim = async (payment: CheckedPayment, request: PaidRequest, claimId: string) => {
    const { wallet, sent, requirements, expiresUnixMs } = payment;
    const { network, asset, amount, payTo } = requirements;
    return book.record(wallet, sent.key, {
      type: 'PaymentClaimed',
      claimId,
      requestHash: request.hash,
      network,
      asset,
      amountRaw: amount,
      payTo,
      signed: JSON.stringify({ payload: sent.payload, requirements } satisfies SignedPayment),
      expiresUnixMs,
      deadlineUnixMs: clock.nowUnixMs() + (dependencies.deadlineMs ?? DEADLINE_MS),
      paymentId: sent.paymentId,
    });
  };

  /** An answer that somebody did not pay for is not worked out again. */
  const withKept = async <T>(request: PaidRequest, work: Work<T>): ReturnType<Work<T>> => {
    const kept = state.unpaid.get(request.hash);
    const answer = kept && kept.untilUnixMs > clock.nowUnixMs() ? await answers.fetch(kept.answer) : null;
    return answer === null ? work() : { answer: answer as T, free: null };
  };

  const take: Payments['take'] = async (payment, request, work) => {
    const { wallet, sent } = payment;
    const { key } = sent;
    const claimId = randomUUID();
    const claimed = await claim(payment, request, claimId);
    if (!claimed.counts) {
      const reason = claimed.refusal === 'out_of_turn' ? 'payment_already_used' : claimed.refusal;
      return { status: 'refused', reason };
    }
    const release = async (reason: string): Promise<void> => {
      // Its deadline releases it.
      await book.record(wallet, key, { type: 'PaymentReleased', claimId, reason }).catch(onError);
    };
    let place: string;
    let done: Awaited<ReturnType<typeof work>>;
    try {
      done = await withKept(request, work);
      if (done.free !== null) {
        await release(done.free);
        return { status: 'free', answer: done.answer };
      }
      place = await answers.keep(key, done.answer);
    } catch (error) {
      await release('failed');
      throw error;
    }
    try {
      return await settle(payment, claimId, { answer: done.answer, place });
    } catch (error) {
      // Nobody knows what is in the log now; whoever reconciles it will.
      onError(error);
      return { status: 'unknown' };
    }
  };

  const settle = async <T>(
    { wallet, sent }: CheckedPayment,
    claimId: string,
    { answer, place }: { answer: T; place: string },
  ): Promise<Taken<T>> => {
    const started = await book.record(
      wallet,
      sent.key,
      { type: 'WorkDone', claimId, answer: place },
      { type: 'SettlementStarted', claimId },
    );
    const settling = state.payments.get(sent.key);
    // Its deadline passed, and it was given back.
    if (!started.counts || settling === undefined) return { status: 'refused', reason: 'payment_expired' };
    const settlement = await settlePayment(dependencies, settling, { isFirst: true });
    const receipt = receiptOf(settling);
    if (settlement.status === 'unknown') return { status: 'unknown' };
    return settlement.status === 'failed'
      ? { status: 'settlement_failed', reason: settlement.reason, receipt }
      : { status: 'paid', answer, receipt };
  };

  return { offer: offers.make, check: createCheckPayment(dependencies), take };
};
