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
  /** The node that tells what became of a payment on this network. Throws for a network that is not configured. */
  readonly chainOf: (network: string) => PaymentChain;
  /** Gives an account the credits that it paid for; asked again with the same payment it changes nothing. */
  readonly giveCredits?: GiveCredits;
  readonly onError: (error: unknown) => void;
};

export type GiveCredits = (grant: CreditGrant, paymentKey: string) => Promise<void>;

export const readSigned = ({ signed }: Pick<Claim, 'signed'>): SignedPayment =>
  JSON.parse(signed) as SignedPayment;

/** A failure is final where the chain says it: whoever asks again hears the same. */
type Outcome =
  | Exclude<Settlement, { status: 'failed' }>
  | (Extract<Settlement, { status: 'failed' }> & { readonly isFinal: boolean });

/** How long after each other the chain is asked for a transaction that the facilitator named. */
const SHOWN_AFTER_MS = [0, 200, 400, 800, 1_600, 2_000];

const UNKNOWN: Outcome = { status: 'unknown' };

/**
 * Settles a payment whose settlement has started, and records what came of it. Safe to call again, by any process, while
 * the outcome is unknown: the chain is asked before the facilitator, and takes no payment twice. It counts as settled only when
 * the chain shows it. Of two processes that
 * come to different ends the log decides, and both resolve to what it says. Throws `PaymentsUnavailableError` when an
 * outcome that is not `settled` could not be recorded.
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
  /** Its word is not enough: a node may be seconds behind, and whoever reconciles asks again. */
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
  // What speaks against it may be that it is on chain: by an earlier try, or by whoever else holds the payment.
  const answer = await look();
  const found = endOf(answer);
  if (found !== null) return found;
  // Of the first try the facilitator is believed, and only where the chain says too that nothing moved.
  const isBelieved = isFirst && answer !== null;
  return isBelieved && settled.status === 'failed' ? { ...settled, isFinal: false } : UNKNOWN;
};

/** What the chain ends a payment with; null where it does not, or its node does not answer. */
const endOf = (answer: ChainAnswer | null): Outcome | null => {
  if (answer?.status === 'moved') return { status: 'settled', transaction: answer.transaction };
  if (answer?.status === 'cannot_move') return { status: 'failed', reason: answer.reason, isFinal: true };
  return null;
};

/** Resolves to what counts. */
const record = async (
  { book, onError }: SettleDependencies,
  payment: PaymentState,
  outcome: Outcome,
): Promise<Settlement> => {
  const { wallet, key, claim, status } = payment;
  const { claimId } = claim;
  if (outcome.status === 'settled') {
    const { transaction } = outcome;
    // The money has moved, whether that can be written down or not: who paid gets the answer. What is not in the log now
    // is found out by the reconciler.
    await book.record(wallet, key, { type: 'PaymentSettled', claimId, transaction }).catch(onError);
    return outcome;
  }
  if (outcome.status === 'failed') {
    const { reason, isFinal } = outcome;
    const { counts } = await book.record(wallet, key, { type: 'PaymentFailed', claimId, reason, isFinal });
    if (counts) return outcome;
  } else if (status === 'settling') await book.record(wallet, key, { type: 'PaymentUnknown', claimId });
  // This process may have been held up, and another one has finished the payment meanwhile.
  const { status: recorded, transaction } = book.state.payments.get(key) ?? payment;
  if (recorded === 'settled' && transaction !== null) return { status: 'settled', transaction };
  return recorded === 'failed' ? outcome : UNKNOWN;
};
