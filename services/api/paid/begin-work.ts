import type { VoidReason } from '../../credits/decider/events.ts';

/** What a call's work came to. `free` says why it costs nothing although there is an answer. */
export type WorkDone<T> = { readonly answer: T; readonly free: VoidReason | null };

export type Work<T> = () => Promise<WorkDone<T>>;

/**
 * The work of a paid call. Where it may turn out that there is nothing to do, `prepare` throws that: before anybody is asked to
 * pay, and not where the answer was paid for before. `mayPay`: whether the work is likely to follow; false for who has shown
 * nothing to pay with, or has no place for one more call: that costs no more than to tell what the call costs, or what is wrong
 * with it.
 */
export type PaidWork<T> = Work<T> | { readonly prepare: (mayPay: boolean) => Promise<Work<T>> };

/** Throws what `prepare` throws. */
export const beginWork = async <T>(work: PaidWork<T>, mayPay: boolean): Promise<Work<T>> =>
  typeof work === 'function' ? work : work.prepare(mayPay);
