import type { SettleResponse } from '@x402/core/types';
import { type Reason, reasonOf } from '../reasons.ts';

export type Settlement =
  | { readonly status: 'settled'; readonly transaction: string }
  /** It did not move. */
  | { readonly status: 'failed'; readonly reason: Reason }
  /** It may have moved, or may still. */
  | { readonly status: 'unknown' };

/**
 * Said before anything was sent to the chain, about something that sending would not change. A nonce that was used is
 * not among them: used by whom, and for us or cancelled, only the chain knows.
 */
const NEVER_SENT = /insufficient|signature|valid_before|expired|(?<!event_)mismatch|memo|simulation_failed/;

/**
 * What a facilitator's answer says of the money. Whatever is not certain is unknown: a transaction that failed may have
 * come behind another one of the same payment.
 */
export const readSettlement = (
  answer: Pick<SettleResponse, 'success' | 'transaction' | 'errorReason'>,
): Settlement => {
  const { success, transaction, errorReason = '' } = answer;
  if (success) return transaction === '' ? { status: 'unknown' } : { status: 'settled', transaction };
  if (transaction === '' && NEVER_SENT.test(errorReason))
    return { status: 'failed', reason: reasonOf(errorReason) };
  return { status: 'unknown' };
};
