import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentBook } from '../book/payment-book.ts';
import type { ChainAnswer, PaymentChain } from '../chains/payment-chain.ts';
import type { CreditGrant } from '../decider/events.ts';
import type { Claim, PaymentState } from '../decider/state.ts';
import type { Facilitator, SignedPayment } from '../facilitator.ts';
import type { Settlement } from './settlement.ts';

export type SettleDependencies = {
  readonly book: PaymentBook;
  readonly facilitator: Facilitator;
  /** The node that knows payments on this network. Throws for a network that is not configured. */
  readonly chainOf: (network: string) => PaymentChain;
  /** Gives an account the credits that it paid for. Repeating it with the same payment changes nothing. */
  readonly giveCredits?: GiveCredits;
  readonly onError: (error: unknown) => void;
};

export type GiveCredits = (grant: CreditGrant, paymentKey: string) => Promise<void>;

export const readSigned = ({ signed }: Pick<Claim, 'signed'>): SignedPayment =>
  JSON.parse(signed) as SignedPayment;

/** A failure that the chain confirms is final. */
type Outcome =
  | Exclude<Settlement, { status: 'failed' }>
  | (Extract<Settlement, { status: 'failed' }> & { readonly isFinal: boolean });

/** Pauses between questions about a transaction that the facilitator named. */
const SHOWN_AFTER_MS = [0, 200, 400, 800, 1_600, 2_000];

const UNKNOWN: Outcome = { status: 'unknown' };

/**
 * Settles a payment whose settlement has started, and records the result. Any process may call it again while the
 * outcome is unknown: the chain is asked before the facilitator and accepts no payment twice. It counts as settled
 * only when the chain shows it. If two processes disagree the log decides. Throws `PaymentsUnavailableError` if an
 * outcome other than `settled` could not be recorded.
 */
export const settlePayment = async (
  dependencies: SettleDependencies,
  payment: PaymentState,
  { isFirst }: { isFirst: boolean },
): Promise<Settlement> => {
  const outcome = await settle(dependencies, payment, isFirst);
  const settlement = await record(dependencies, payment, outcome);
  const { key, claim } = payment;
  const { giveCredits, onError } = dependencies;
  if (settlement.status === 'settled' && claim.grant !== null)
    await giveCredits?.(claim.grant, key).catch(onError);
  return settlement;
};

const settle = async (
  { facilitator, chainOf, onError }: SettleDependencies,
  { claim, claimedUnixMs }: PaymentState,
  isFirst: boolean,
): Promise<Outcome> => {
  const signed = readSigned(claim);
  const look = async (): Promise<ChainAnswer | null> => {
    try {
      return await chainOf(claim.network).look(signed, claimedUnixMs);
    } catch (error) {
      onError(error);
      return null;
    }
  };
  /** The facilitator's word is not enough: a node may lag by seconds, and the reconciler asks again. */
  const isShown = async (transaction: string): Promise<boolean> => {
    for (const waitMs of isFirst ? SHOWN_AFTER_MS : [0]) {
      await sleep(waitMs);
      const confirmed = await chainOf(claim.network)
        .confirm(signed, transaction)
        .catch((error: unknown) => {
          onError(error);
          return false;
        });
      if (confirmed) return true;
    }
    return false;
  };
  const known = isFirst ? null : endOf(await look());
  if (known !== null) return known;
  const settled = await facilitator.settle(signed);
  if (settled.status === 'settled' && (await isShown(settled.transaction))) return settled;
  // A refusal may mean that the payment is on chain already, by an earlier try or another holder.
  const answer = await look();
  const found = endOf(answer);
  if (found !== null) return found;
  // On the first try the facilitator's refusal counts, if the chain also shows no movement.
  const isBelieved = isFirst && answer !== null;
  return isBelieved && settled.status === 'failed' ? { ...settled, isFinal: false } : UNKNOWN;
};

/** The chain's verdict; null if there is none, or the node does not answer. */
const endOf = (answer: ChainAnswer | null): Outcome | null => {
  if (answer?.status === 'moved') return { status: 'settled', transaction: answer.transaction };
  if (answer?.status === 'cannot_move') return { status: 'failed', reason: answer.reason, isFinal: true };
  return null;
};

/** Resolves to the outcome that counts. */
const record = async (
  { book, onError }: SettleDependencies,
  payment: PaymentState,
  outcome: Outcome,
): Promise<Settlement> => {
  const { wallet, key, claim, status } = payment;
  const { claimId } = claim;
  if (outcome.status === 'settled') {
    const { transaction } = outcome;
    // The money has moved, recorded or not, so the payer gets the answer. The reconciler completes the log.
    await book.record(wallet, key, { type: 'PaymentSettled', claimId, transaction }).catch(onError);
    return outcome;
  }
  if (outcome.status === 'failed') {
    const { reason, isFinal } = outcome;
    const { counts } = await book.record(wallet, key, { type: 'PaymentFailed', claimId, reason, isFinal });
    if (counts) return outcome;
  } else if (status === 'settling') await book.record(wallet, key, { type: 'PaymentUnknown', claimId });
  // This process may have been delayed, and another one finished the payment meanwhile.
  const { status: recorded, transaction } = book.state.payments.get(key) ?? payment;
  if (recorded === 'settled' && transaction !== null) return { status: 'settled', transaction };
  return recorded === 'failed' ? outcome : UNKNOWN;
};
