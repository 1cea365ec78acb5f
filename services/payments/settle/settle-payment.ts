import type { PaymentBook } from '../book/payment-book.ts';
import type { PaymentChain } from '../chains/payment-chain.ts';
import type { CreditGrant } from '../decider/events.ts';
import type { Claim, PaymentState } from '../decider/state.ts';
import type { Facilitator, SignedPayment } from '../facilitator.ts';
import type { Settlement } from './settlement.ts';

export type SettleDependencies = {
  readonly book: PaymentBook;
  readonly facilitator: Facilitator;
  /** The node that tells what became of a payment on this network. Throws for a network that is not configured. */
  readonly chainOf: (network: string) => PaymentChain;
  /** Gives an account the credits that it paid for; asked again with the same payment it changes nothing. */
  readonly giveCredits?: GiveCredits;
  readonly onError: (error: unknown) => void;
};

export type GiveCredits = (grant: CreditGrant, paymentKey: string) => Promise<void>;

export const readSigned = ({ signed }: Pick<Claim, 'signed'>): SignedPayment =>
  JSON.parse(signed) as SignedPayment;

/**
 * Settles a payment whose settlement has started, and records what came of it. Safe to call again, by any process, while
 * the outcome is unknown: the chain is asked before the facilitator, and takes no payment twice. Throws
 * `PaymentsUnavailableError` when an outcome that is not `settled` could not be recorded.
 */
export const settlePayment = async (
  { book, facilitator, chainOf, giveCredits, onError }: SettleDependencies,
  payment: PaymentState,
  { isFirst }: { isFirst: boolean },
): Promise<Settlement> => {
  const signed = readSigned(payment.claim);
  const look = async (): Promise<Settlement> => {
    try {
      const answer = await chainOf(payment.claim.network).look(signed, payment.claimedUnixMs);
      if (answer.status === 'moved') return { status: 'settled', transaction: answer.transaction };
      if (answer.status === 'cannot_move') return { status: 'failed', reason: answer.reason };
    } catch (error) {
      onError(error);
    }
    return { status: 'unknown' };
  };
  const settle = async (): Promise<Settlement> => {
    const known: Settlement = isFirst ? { status: 'unknown' } : await look();
    if (known.status !== 'unknown') return known;
    const settled = await facilitator.settle(signed);
    if (settled.status === 'settled') return settled;
    // What speaks against it may be that it is on chain: by an earlier try, or by whoever else holds the payment.
    const found = await look();
    return isFirst && found.status === 'unknown' ? settled : found;
  };
  const settlement = await settle();
  const { wallet, key, claim, status } = payment;
  const { claimId, grant } = claim;
  if (settlement.status === 'settled') {
    const { transaction } = settlement;
    // The money has moved, whether that can be written down or not: who paid gets the answer. What is not in the log now
    // is found out by the reconciler.
    await book.record(wallet, key, { type: 'PaymentSettled', claimId, transaction }).catch(onError);
    if (grant !== null) await giveCredits?.(grant, key).catch(onError);
  }
  if (settlement.status === 'failed')
    await book.record(wallet, key, { type: 'PaymentFailed', claimId, reason: settlement.reason });
  if (settlement.status === 'unknown' && status === 'settling')
    await book.record(wallet, key, { type: 'PaymentUnknown', claimId });
  return settlement;
};
