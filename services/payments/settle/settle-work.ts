import type { Answers } from '../book/answers.ts';
import type { HandOver } from '../book/hand-over.ts';
import type { PaymentState } from '../decider/state.ts';
import { type CheckedPayment, type Receipt, receiptOf } from '../offer/check-payment.ts';
import type { Reason } from '../reasons.ts';
import { type SettleDependencies, settlePayment } from './settle-payment.ts';
import type { Settlement } from './settlement.ts';

export type Taken<T> =
  /** Call `onGiven` when the client has the answer. */
  | { readonly status: 'paid'; readonly answer: T; readonly receipt: Receipt; readonly onGiven: () => void }
  | { readonly status: 'free'; readonly answer: T }
  | { readonly status: 'refused'; readonly reason: Reason }
  /** Another payment with the client's id was first. */
  | { readonly status: 'in_progress' }
  | { readonly status: 'settlement_failed'; readonly reason: Reason; readonly receipt: Receipt }
  | { readonly status: 'unknown' }
  /** Settled before the work was done (Solana), and then the work failed. */
  | {
      readonly status: 'paid_in_vain';
      readonly error: unknown;
      readonly receipt: Receipt;
      readonly onGiven: () => void;
    };

/** `free`: why an answer costs nothing. */
type Done<T> = { readonly answer: T; readonly free: string | null };
export type Work<T> = () => Promise<Done<T>>;

type Dependencies = SettleDependencies & { readonly answers: Answers; readonly handOver: HandOver };
type Settled =
  | { readonly status: 'settled'; readonly receipt: Receipt; readonly onGiven: () => void }
  | { readonly status: 'failed'; readonly reason: Reason; readonly receipt: Receipt }
  | { readonly status: 'unknown' }
  /** The claim has ended: its deadline passed and it was given back. */
  | { readonly status: 'too_late' };

/** The two orders of work and settlement after a claim. */
export const createSettleWork = (dependencies: Dependencies) => {
  const { book, answers, handOver, onError } = dependencies;

  /** Never throws: an unrecorded outcome is unknown, and the reconciler finds out. */
  const settle = async (
    { wallet, sent }: CheckedPayment,
    claimId: string,
    answer: string | null,
  ): Promise<Settled> => {
    const done = answer === null ? [] : [{ type: 'WorkDone', claimId, answer, isFree: false } as const];
    try {
      const started = await book.record(wallet, sent.key, ...done, { type: 'SettlementStarted', claimId });
      const payment = book.state.payments.get(sent.key);
      if (!started.counts || payment === undefined) return { status: 'too_late' };
      return end(payment, await settlePayment(dependencies, payment, { isFirst: true }));
    } catch (error) {
      onError(error);
      return { status: 'unknown' };
    }
  };

  const end = (payment: PaymentState, settlement: Settlement): Settled => {
    if (settlement.status === 'unknown') return settlement;
    const receipt = receiptOf(payment);
    if (settlement.status === 'failed') return { status: 'failed', reason: settlement.reason, receipt };
    const onGiven = (): void => handOver.confirm(payment);
    // It is not in the book if it could not be written.
    const { status, transaction } = settlement;
    return { status, receipt: { ...receipt, transaction }, onGiven };
  };

  const present = <T>(settled: Settled, answer: T): Taken<T> => {
    if (settled.status === 'too_late') return { status: 'refused', reason: 'payment_expired' };
    if (settled.status === 'settled') return { ...settled, status: 'paid', answer };
    if (settled.status === 'failed') return { ...settled, status: 'settlement_failed' };
    return settled;
  };

  const release = async (
    { wallet, sent }: CheckedPayment,
    claimId: string,
    reason: string,
  ): Promise<void> => {
    // Its deadline releases it.
    await book.record(wallet, sent.key, { type: 'PaymentReleased', claimId, reason }).catch(onError);
  };

  /** The rule: no work, no payment. The answer is durable before the money moves. Throws what the work throws. */
  const settleAfter = async <T>(
    payment: CheckedPayment,
    claimId: string,
    working: Promise<Done<T>>,
  ): Promise<Taken<T>> => {
    let done: Done<T>;
    let place: string;
    try {
      done = await working;
      if (done.free !== null) {
        await release(payment, claimId, done.free);
        return { status: 'free', answer: done.answer };
      }
      place = await answers.keep(payment.sent.key, done.answer);
    } catch (error) {
      await release(payment, claimId, 'failed');
      throw error;
    }
    return present(await settle(payment, claimId, place), done.answer);
  };

  /** Keeps the answer for the same payment, in case this client does not get it. Throws if nobody has paid. */
  const keep = async (
    { wallet, sent }: CheckedPayment,
    claimId: string,
    { status }: Settled,
    { answer, free }: Done<unknown>,
  ): Promise<void> => {
    try {
      const place = await answers.keep(sent.key, answer);
      const isFree = free !== null;
      await book.record(wallet, sent.key, { type: 'WorkDone', claimId, answer: place, isFree });
    } catch (error) {
      if (status === 'failed') throw error;
      onError(error);
    }
  };

  /**
   * The exception: a payment that would expire during its work is settled first and stays paid. Throws what the
   * work throws if nothing was paid.
   */
  const settleEarly = async <T>(
    payment: CheckedPayment,
    claimId: string,
    working: Promise<Done<T>>,
  ): Promise<Taken<T>> => {
    const settled = await settle(payment, claimId, null);
    let done: Done<T>;
    try {
      done = await working;
    } catch (error) {
      if (settled.status === 'settled') return { ...settled, status: 'paid_in_vain', error };
      if (settled.status === 'unknown') return settled;
      throw error;
    }
    const mayBePaid = settled.status === 'settled' || settled.status === 'unknown';
    if (done.free !== null && !mayBePaid) return { status: 'free', answer: done.answer };
    if (settled.status !== 'too_late') await keep(payment, claimId, settled, done);
    return present(settled, done.answer);
  };

  return { settleAfter, settleEarly };
};
