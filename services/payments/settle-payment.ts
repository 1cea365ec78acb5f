import type { PaymentChain } from './chains/payment-chain.ts';
import type { PaymentState } from './decider/state.ts';
import type { Facilitator, SignedPayment } from './facilitator.ts';
import type { PaymentBook } from './payment-book.ts';
import type { Settlement } from './settlement.ts';

export type SettleDependencies = {
  readonly book: PaymentBook;
  readonly facilitator: Facilitator;
  /** The node that tells what became of a payment on this network. Throws for a network that is not configured. */
  readonly chainOf: (network: string) => PaymentChain;
  readonly onError: (error: unknown) => void;
};

export const readSigned = ({ claim }: PaymentState): SignedPayment =>
  JSON.parse(claim.signed) as SignedPayment;

/**
 * Settles a payment whose settlement has started, and records what came of it. Safe to call again, by any process, while
 * the outcome is unknown: the chain is asked before the facilitator, and takes no payment twice. Throws
 * `PaymentsUnavailableError` when the outcome could not be recorded.
 */
export const settlePayment = async (
  { book, facilitator, chainOf, onError }: SettleDependencies,
  payment: PaymentState,
  { isFirst }: { isFirst: boolean },
): Promise<Settlement> => {
  const signed = readSigned(payment);
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
    // What a second try says against is no proof: the first may have gone through meanwhile.
    return settled.status === 'settled' || (isFirst && settled.status === 'failed') ? settled : look();
  };
  const settlement = await settle();
  const { wallet, key, claim, status } = payment;
  const { claimId } = claim;
  if (settlement.status === 'settled')
    await book.record(wallet, key, {
      type: 'PaymentSettled',
      claimId,
      transaction: settlement.transaction,
    });
  else if (settlement.status === 'failed')
    await book.record(wallet, key, { type: 'PaymentFailed', claimId, reason: settlement.reason });
  else if (status === 'settling') await book.record(wallet, key, { type: 'PaymentUnknown', claimId });
  return settlement;
};
