import type { Answers } from '../book/answers.ts';
import type { HandOver } from '../book/hand-over.ts';
import { type CheckedPayment, type Receipt, receiptOf } from '../offer/check-payment.ts';
import type { Reason } from '../reasons.ts';
import { type SettleDependencies, settlePayment } from './settle-payment.ts';
import type { Settlement } from './settlement.ts';

export type Taken<T> =
  /** `onGiven` is to be called when the client has the answer. */
  | { readonly status: 'paid'; readonly answer: T; readonly receipt: Receipt; readonly onGiven: () => void }
  | { readonly status: 'free'; readonly answer: T }
  | { readonly status: 'refused'; readonly reason: Reason }
  /** Another payment with the id that the client chose came first. */
  | { readonly status: 'in_progress' }
  | { readonly status: 'settlement_failed'; readonly reason: Reason; readonly receipt: Receipt }
  | { readonly status: 'unknown' }
  /** Settled before the work was done, as work on Solana may be, and then the work failed. */
  | {
      readonly status: 'paid_in_vain';
      readonly error: unknown;
      readonly receipt: Receipt;
      readonly onGiven: () => void;
    };

/** `free` says why it costs nothing although there is an answer. */
type Done<T> = { readonly answer: T; readonly free: string | null };
export type Work<T> = () => Promise<Done<T>>;

type Dependencies = SettleDependencies & { readonly answers: Answers; readonly handOver: HandOver };
type Settled = {
  readonly settlement: Settlement;
  readonly receipt: Receipt;
  readonly onGiven: () => void;
};

/** The two orders in which work and settlement may come, once a payment is claimed. */
export const createSettleWork = (dependencies: Dependencies) => {
  const { book, answers, handOver, onError } = dependencies;

  /** null where the claim has ended before. Throws `PaymentsUnavailableError`: then nobody knows how far it came. */
  const settle = async (
    { wallet, sent }: CheckedPayment,
    claimId: string,
    answer: string | null,
  ): Promise<Settled | null> => {
    const done = answer === null ? [] : [{ type: 'WorkDone', claimId, answer } as const];
    const started = await book.record(wallet, sent.key, ...done, { type: 'SettlementStarted', claimId });
    const payment = book.state.payments.get(sent.key);
    if (!started.counts || payment === undefined) return null;
    const settlement = await settlePayment(dependencies, payment, { isFirst: true });
    const receipt = receiptOf(payment);
    const onGiven = (): void => handOver.confirm(payment);
    // It is not in the book where it could not be written down.
    return settlement.status === 'settled'
      ? { settlement, receipt: { ...receipt, transaction: settlement.transaction }, onGiven }
      : { settlement, receipt, onGiven };
  };

  const present = <T>(settled: Settled | null, answer: T): Taken<T> => {
    // Its deadline passed, and it was given back.
    if (settled === null) return { status: 'refused', reason: 'payment_expired' };
    const { settlement, receipt, onGiven } = settled;
    if (settlement.status === 'settled') return { status: 'paid', answer, receipt, onGiven };
    if (settlement.status === 'unknown') return { status: 'unknown' };
    return { status: 'settlement_failed', reason: settlement.reason, receipt };
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
    try {
      return present(await settle(payment, claimId, place), done.answer);
    } catch (error) {
      // Whoever reconciles what is in the log will know.
      onError(error);
      return { status: 'unknown' };
    }
  };

  /** For the same payment, should this client not get it. Throws where nobody has paid for it yet. */
  const keep = async (
    { wallet, sent }: CheckedPayment,
    claimId: string,
    { settlement }: Settled,
    answer: unknown,
  ): Promise<void> => {
    try {
      const place = await answers.keep(sent.key, answer);
      await book.record(wallet, sent.key, { type: 'WorkDone', claimId, answer: place });
    } catch (error) {
      if (settlement.status !== 'settled') throw error;
      onError(error);
    }
  };

  /** The exception: a payment that would expire while its work is done is settled first, and stays paid. */
  const settleEarly = async <T>(
    payment: CheckedPayment,
    claimId: string,
    working: Promise<Done<T>>,
  ): Promise<Taken<T>> => {
    let settled: Settled | null;
    try {
      settled = await settle(payment, claimId, null);
    } catch (error) {
      onError(error);
      return { status: 'unknown' };
    }
    try {
      const { answer } = await working;
      if (settled !== null) await keep(payment, claimId, settled, answer);
      return present(settled, answer);
    } catch (error) {
      if (settled?.settlement.status === 'settled')
        return { status: 'paid_in_vain', error, receipt: settled.receipt, onGiven: settled.onGiven };
      if (settled?.settlement.status === 'unknown') return { status: 'unknown' };
      throw error;
    }
  };

  return { settleAfter, settleEarly };
};
