import { isSignature } from '@solana/kit';
import { isSolana } from '../is-solana.ts';
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

type Answer = {
  readonly success: boolean;
  readonly transaction?: string | undefined;
  readonly errorReason?: string | undefined;
};

/**
 * What a facilitator's answer says of the money. Whatever is not certain is unknown: a transaction that failed may have
 * come behind another one of the same payment, and what is no transaction of the network names none.
 */
export const readSettlement = (
  network: string,
  { success, transaction = '', errorReason = '' }: Answer,
): Settlement => {
  if (success)
    return isTransaction(network, transaction) ? { status: 'settled', transaction } : { status: 'unknown' };
  if (transaction === '' && NEVER_SENT.test(errorReason))
    return { status: 'failed', reason: reasonOf(errorReason) };
  return { status: 'unknown' };
};

const isTransaction = (network: string, text: string): boolean =>
  isSolana(network)
    ? // It throws on other characters.
      /^[1-9A-HJ-NP-Za-km-z]+$/.test(text) && isSignature(text)
    : /^0x[0-9a-fA-F]{64}$/.test(text);
