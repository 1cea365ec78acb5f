import { PaymentsUnavailableError } from '../../payments/book/payment-book.ts';
import { encodeOffer, encodeReceipt } from '../../payments/headers.ts';
import type { CheckedPayment } from '../../payments/offer/check-payment.ts';
import type { PaidRequest } from '../../payments/offer/offers.ts';
import { InvalidPaymentError } from '../../payments/offer/read-payment.ts';
import type { Reason } from '../../payments/reasons.ts';
import type { Taken } from '../../payments/settle/settle-work.ts';
import type { Payments } from '../../payments/take-payment.ts';
import type { PaymentExchange } from '../context.ts';
import { ApiError } from '../errors.ts';

type Take<T> = (payment: CheckedPayment) => Promise<Taken<T>>;

/**
 * Handles an x402 payment: states the price, checks and claims the payment before the work, settles after it, and
 * gives the answer only then. Throws what `take` throws, and `ApiError`: `payment_required` with PAYMENT-REQUIRED,
 * `invalid_payment`, `settlement_failed` with PAYMENT-RESPONSE, `settlement_unknown`, `payment_id_taken`,
 * `call_in_progress`, `unavailable`.
 */
export const payFor = async <T>(
  payments: Payments,
  exchange: PaymentExchange,
  request: PaidRequest,
  take: Take<T>,
): Promise<T> => {
  try {
    const taken = await obtain(payments, exchange, request, take);
    return present(exchange, taken);
  } catch (error) {
    if (error instanceof InvalidPaymentError) throw invalidPayment(error);
    if (error instanceof PaymentsUnavailableError) throw new ApiError('unavailable', { cause: error });
    throw error;
  }
};

const invalidPayment = (cause: InvalidPaymentError): ApiError =>
  new ApiError('invalid_payment', { sentence: cause.message, cause });

const NOT_SENT = { status: 'refused', reason: null } as const;

type Obtained<T> = Exclude<Taken<T>, { status: 'refused' | 'unknown' | 'in_progress' }>;

const obtain = async <T>(
  payments: Payments,
  exchange: PaymentExchange,
  request: PaidRequest,
  take: Take<T>,
): Promise<Obtained<T>> => {
  const checked = exchange.sent === null ? NOT_SENT : await payments.check(exchange.sent, request);
  if (checked.status === 'too_many') throw tooMany(checked.waitSeconds);
  if (checked.status === 'id_taken') throw new ApiError('payment_id_taken');
  // The kept answer to the same request.
  if (checked.status === 'answered') return { ...checked, status: 'paid', answer: checked.answer as T };
  const taken = checked.status === 'good' ? await take(checked.payment) : checked;
  if (taken.status === 'refused') throw await askToPay(payments, request, taken.reason);
  if (taken.status === 'unknown') throw new ApiError('settlement_unknown');
  if (taken.status === 'in_progress') throw inProgress();
  return taken;
};

const tooMany = (seconds: number): ApiError =>
  new ApiError('too_many_calls', {
    sentence: 'Too many payments from your address were refused. Please wait.',
    headers: { 'Retry-After': String(seconds) },
  });

const inProgress = (): ApiError =>
  new ApiError('call_in_progress', {
    sentence: 'The call with this payment id is still running. Send it again later to get its answer.',
    headers: { 'Retry-After': '1' },
  });

const askToPay = async (
  payments: Payments,
  request: PaidRequest,
  refused: Reason | null,
): Promise<ApiError> => {
  const offer = await payments.offer(request, refused);
  return new ApiError('payment_required', {
    headers: { 'PAYMENT-REQUIRED': encodeOffer(offer) },
    ...(offer.error === undefined ? {} : { sentence: offer.error }),
  });
};

const present = <T>(exchange: PaymentExchange, taken: Obtained<T>): T => {
  if (taken.status === 'free') return taken.answer;
  const failed = taken.status === 'settlement_failed' ? taken.reason : null;
  exchange.setHeader('PAYMENT-RESPONSE', encodeReceipt(taken.receipt, failed));
  if (taken.status === 'settlement_failed') throw new ApiError('settlement_failed');
  exchange.onSent(taken.onGiven);
  if (taken.status === 'paid_in_vain') throw taken.error;
  return taken.answer;
};
