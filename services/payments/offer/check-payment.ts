import type { PaymentRequirements } from '@x402/core/types';
import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import type { Answers } from '../book/answers.ts';
import type { HandOver } from '../book/hand-over.ts';
import type { PaymentBook } from '../book/payment-book.ts';
import type { PaymentChain } from '../chains/payment-chain.ts';
import type { Wallet } from '../decider/events.ts';
import { findRefusal } from '../decider/judge.ts';
import { findNamed, findPayment, type PaymentState } from '../decider/state.ts';
import type { Facilitator, SignedPayment } from '../facilitator.ts';
import type { Reason } from '../reasons.ts';
import { readSigned } from '../settle/settle-payment.ts';
import { findSigner } from './check-signature.ts';
import { type Match, type Offers, PAYMENT_SECONDS_MAX, type PaidRequest } from './offers.ts';
import { readPayment, type SentPayment } from './read-payment.ts';

/** A payment that the facilitator accepted; not claimed yet. */
export type CheckedPayment = {
  readonly wallet: Wallet;
  readonly sent: SentPayment;
  readonly requirements: PaymentRequirements;
  readonly checkedUnixMs: number;
  readonly expiresUnixMs: number;
};

/** Goes into PAYMENT-RESPONSE. */
export type Receipt = {
  readonly transaction: string;
  readonly network: `${string}:${string}`;
  readonly payer: string;
};

export type Checked =
  | { readonly status: 'good'; readonly payment: CheckedPayment }
  | { readonly status: 'refused'; readonly reason: Reason }
  /** Already paid by this payment. The client never got the answer, or asks again by its id. */
  | {
      readonly status: 'answered';
      readonly answer: unknown;
      readonly receipt: Receipt;
      readonly onGiven: () => void;
    }
  /** It is unknown whether this payment moved, or its answer is on its way. */
  | { readonly status: 'unknown' }
  /** The client's id belongs to a running call. */
  | { readonly status: 'in_progress' }
  /** The client's id belongs to another request. */
  | { readonly status: 'id_taken' }
  /** The address has sent too many invalid payments. */
  | { readonly status: 'too_many'; readonly waitSeconds: number };

type Dependencies = {
  readonly book: PaymentBook;
  readonly facilitator: Facilitator;
  readonly offers: Offers;
  readonly answers: Answers;
  readonly handOver: HandOver;
  readonly clock: Clock;
  readonly chainOf: (network: string) => PaymentChain;
  readonly onError: (error: unknown) => void;
};

/** Bounds invalid payments of one address, because each costs questions to the facilitator and a node. */
const REFUSED = { burst: 30, everyMs: 2_000 };

/**
 * Bounds payments of one address whose signature only the facilitator can check. One that it calls valid does not
 * count.
 */
const UNCHECKED = { burst: 3, everyMs: 20_000 };

/** Checks a payment and changes nothing. Throws `InvalidPaymentError`, `PaymentsUnavailableError`. */
export type CheckPayment = (header: string, request: PaidRequest) => Promise<Checked>;

export const createCheckPayment = (dependencies: Dependencies): CheckPayment => {
  const { book, facilitator, offers, answers, handOver, clock, chainOf, onError } = dependencies;
  const { state } = book;
  const refused = createRateLimit(REFUSED, clock);
  const unchecked = createRateLimit(UNCHECKED, clock);

  const answered = async (payment: PaymentState): Promise<Checked> => {
    const answer = payment.answer === null ? null : await answers.fetch(payment.answer);
    if (answer === null) return { status: 'refused', reason: 'payment_already_used' };
    const onGiven = (): void => handOver.confirm(payment);
    return { status: 'answered', answer, receipt: receiptOf(payment), onGiven };
  };

  /** The client's id is secret, so its owner may fetch the answer again and again. */
  const recallSettled = async (payment: PaymentState, hasId: boolean): Promise<Checked> => {
    const answerIs = handOver.stateOf(payment);
    if (answerIs === 'owed' || (hasId && payment.answer !== null)) return answered(payment);
    if (answerIs === 'under_way') return { status: 'unknown' };
    return { status: 'refused', reason: 'payment_already_used' };
  };

  /** What the book says of a repeated payment; null if it may be tried. */
  const recall = async (sent: SentPayment, request: PaidRequest): Promise<Checked | null> => {
    const payment = findPayment(state, sent.key, clock.nowUnixMs());
    if (payment === undefined || payment.status === 'released') return null;
    const hasId = sent.paymentId !== null && sent.paymentId === payment.claim.paymentId;
    if (hasId && payment.claim.requestHash !== request.hash) return { status: 'id_taken' };
    const isSame =
      payment.claim.requestHash === request.hash &&
      signedPart(readSigned(payment.claim).payload) === signedPart(sent.payload);
    if (!isSame) return { status: 'refused', reason: 'payment_already_used' };
    // No second payment is requested while the first may bring the answer.
    if (payment.status === 'settling' || payment.status === 'unknown') return { status: 'unknown' };
    if (hasId && isRunning(payment)) return { status: 'in_progress' };
    if (payment.status !== 'settled') return { status: 'refused', reason: 'payment_already_used' };
    return recallSettled(payment, hasId);
  };

  /** Another payment with the client's id may have bought the answer. */
  const recallNamed = async (
    wallet: Wallet,
    { paymentId }: SentPayment,
    request: PaidRequest,
  ): Promise<Checked | null> => {
    const named = findNamed(state, wallet, paymentId, clock.nowUnixMs());
    if (named === undefined) return null;
    if (named.claim.requestHash !== request.hash) return { status: 'id_taken' };
    if (named.status === 'settling' || named.status === 'unknown') return { status: 'unknown' };
    if (isRunning(named)) return { status: 'in_progress' };
    return named.status === 'settled' ? recallSettled(named, true) : null;
  };

  /** Local checks come before questions to third parties. `open`: only the facilitator can tell. */
  const checkSigner = async (
    sent: SentPayment,
    requirements: PaymentRequirements,
  ): Promise<'good' | 'forged' | 'open'> => {
    const signedBy = await findSigner(sent, requirements);
    if (signedBy === 'payer') return 'good';
    if (signedBy === 'nobody') return 'forged';
    if (signedBy === 'unknown') return 'open';
    try {
      return (await chainOf(requirements.network).isContract(sent.payer)) ? 'open' : 'forged';
    } catch (error) {
      onError(error);
      return 'open';
    }
  };

  /** Asks the facilitator about a payment that our own checks do not refuse. */
  const verify = async (
    sent: SentPayment,
    { requirements, issuedUnixMs }: Extract<Match, { ok: true }>,
    from: string,
  ): Promise<Extract<Checked, { status: 'good' | 'refused' | 'too_many' }>> => {
    const checkedUnixMs = clock.nowUnixMs();
    const expiresUnixMs = sent.expiresUnixMs ?? (issuedUnixMs ?? 0) + PAYMENT_SECONDS_MAX * 1_000;
    if (expiresUnixMs <= checkedUnixMs) return { status: 'refused', reason: 'payment_expired' };
    if (sent.transfer !== null && !isTransferOf(sent.transfer, requirements))
      return { status: 'refused', reason: 'wrong_price' };
    const signer = await checkSigner(sent, requirements);
    if (signer === 'forged') return { status: 'refused', reason: 'invalid_signature' };
    const waitSeconds = signer === 'open' ? unchecked.take(from) : 0;
    if (waitSeconds > 0) return { status: 'too_many', waitSeconds };
    const verified = await facilitator.verify(signedPayment(sent, requirements));
    if (!verified.isValid) return { status: 'refused', reason: verified.reason };
    // The wallet of the checked signature must be the wallet of the claim.
    if (verified.payer !== null && asSpelled(verified.payer) !== sent.payer)
      return { status: 'refused', reason: 'invalid_signature' };
    if (signer === 'open') unchecked.giveBack(from);
    const wallet: Wallet = `wallet:${requirements.network}:${sent.payer}`;
    return { status: 'good', payment: { wallet, sent, requirements, checkedUnixMs, expiresUnixMs } };
  };

  return async (header, request) => {
    const sent = readPayment(header, clock.nowUnixMs());
    const recalled = await recall(sent, request);
    if (recalled !== null) return recalled;
    const match = await offers.match(request, sent.payload);
    if (!match.ok) return { status: 'refused', reason: match.reason };
    const tries = request.from ?? '';
    const waitSeconds = refused.take(tries);
    if (waitSeconds > 0) return { status: 'too_many', waitSeconds };
    const verified = await verify(sent, match, tries);
    if (verified.status !== 'good') return verified;
    refused.giveBack(tries);
    const { wallet, expiresUnixMs } = verified.payment;
    const named = await recallNamed(wallet, sent, request);
    if (named !== null) return named;
    // Refuse before the ledger reserves a place, because its events are kept.
    const { key, paymentId } = sent;
    const atUnixMs = clock.nowUnixMs();
    const claim = { wallet, key, atUnixMs, expiresUnixMs, paymentId, requestHash: request.hash };
    const reason = findRefusal(state, claim);
    if (reason === 'id_in_use') return { status: 'in_progress' };
    return reason === null ? verified : { status: 'refused', reason };
  };
};

/** Its answer is being worked out. */
const isRunning = ({ status }: PaymentState): boolean => status === 'claimed' || status === 'worked';

/** An address as the chain's own payments spell it. */
const asSpelled = (address: string): string => (address.startsWith('0x') ? address.toLowerCase() : address);

/** We check our own receipt, too, and do not rely on a third party alone. */
const isTransferOf = ({ to, value }: { to: string; value: string }, terms: PaymentRequirements): boolean =>
  to === terms.payTo.toLowerCase() && BigInt(value) === BigInt(terms.amount);

/** Keeps only the payment's own fields; additions of the client go no further. */
export const signedPayment = (
  { payload: { x402Version, payload } }: SentPayment,
  requirements: PaymentRequirements,
): SignedPayment => ({ payload: { x402Version, accepted: requirements, payload }, requirements });

/** The signed fields only. */
const signedPart = ({ payload }: SentPayment['payload']): string => JSON.stringify(payload);

export const receiptOf = ({ wallet, claim, transaction }: PaymentState): Receipt => ({
  transaction: transaction ?? '',
  network: claim.network as Receipt['network'],
  payer: wallet.slice(`wallet:${claim.network}:`.length),
});
