import { isSignature } from '@solana/kit';
import { isSolana } from '../is-solana.ts';
import { type Reason, reasonOf } from '../reasons.ts';

export type Settlement =
  | { readonly status: 'settled'; readonly transaction: string }
  /** It did not move. */
  | { readonly status: 'failed'; readonly reason: Reason }
  /** It moved, may have moved, or may still move. */
  | { readonly status: 'unknown' };

/**
 * Reasons given before anything was sent, which sending would not change. A used nonce is not among them: only the
 * chain knows by whom and for whom it was used.
 */
const NEVER_SENT = /insufficient|signature|valid_before|expired|(?<!event_)mismatch|memo|simulation_failed/;

type Answer = {
  readonly success: boolean;
  readonly transaction?: string | undefined;
  readonly errorReason?: string | undefined;
};

/**
 * What a facilitator's answer says about the money. Everything uncertain is unknown: a failed transaction may have
 * followed another one of the same payment, and an invalid hash names no transaction.
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
