import { randomUUID } from 'node:crypto';
import { TARIFFS, type TariffName } from '../../credits/decider/tariffs.ts';
import type { Ledger } from '../../credits/ledger.ts';
import { hashRequest } from '../../payments/bind-request.ts';
import type { CheckedPayment } from '../../payments/check-payment.ts';
import { encodeOffer, encodeReceipt } from '../../payments/headers.ts';
import type { PaidRequest } from '../../payments/offers.ts';
import { PaymentsUnavailableError } from '../../payments/payment-book.ts';
import { InvalidPaymentError } from '../../payments/read-payment.ts';
import type { Reason } from '../../payments/reasons.ts';
import type { Taken } from '../../payments/settle-work.ts';
import type { Payments } from '../../payments/take-payment.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiLogger, PaymentExchange } from '../context.ts';
import { ApiError } from '../errors.ts';
import { type ChargePayment, refusal, type WorkDone } from './charge-call.ts';
import { describeResource } from './resources.ts';

type Dependencies = {
  readonly payments: Payments;
  /** Counts the calls that a wallet has running, as it does those of an account. */
  readonly ledger: Pick<Ledger, 'submit'>;
  readonly clock: Clock;
  readonly logger: ApiLogger;
};

const DEADLINE_MS = 150_000;

/**
 * Does the work of a call that is paid for by itself with x402: the payment is checked and claimed before the work and
 * settled after it, and the answer is given away only then. Throws what the work throws, and `ApiError`:
 * `payment_required` with PAYMENT-REQUIRED, `invalid_payment`, `settlement_failed` with PAYMENT-RESPONSE,
 * `settlement_unknown`, `payment_id_taken`, `too_many_calls`, `unavailable`.
 */
export const createChargePayment = ({ payments, ledger, clock, logger }: Dependencies): ChargePayment => {
  const askToPay = async (request: PaidRequest, refused: Reason | null): Promise<ApiError> => {
    const offer = await payments.offer(request, refused);
    return new ApiError('payment_required', {
      headers: { 'PAYMENT-REQUIRED': encodeOffer(offer) },
      ...(offer.error === undefined ? {} : { sentence: offer.error }),
    });
  };

  const reserve = async (payment: CheckedPayment, tariff: TariffName): Promise<string> => {
    const callId = randomUUID();
    const deadlineUnixMs = clock.nowUnixMs() + DEADLINE_MS;
    const command = { type: 'ReserveCall', callId, tariff, keyId: null, deadlineUnixMs } as const;
    const reserved = await ledger.submit(payment.wallet, command);
    if (reserved.status === 'refused') throw refusal(reserved.reason);
    return callId;
  };

  /** Only makes room for the wallet's next call: whether this one was paid for is not the ledger's to say. */
  const closeCall = async (payment: CheckedPayment, callId: string, isPaid: boolean): Promise<void> => {
    const command = isPaid
      ? ({ type: 'PostCall', callId } as const)
      : ({ type: 'VoidCall', callId, reason: 'failed' } as const);
    await ledger.submit(payment.wallet, command).catch((err: unknown) => {
      logger.error({ err, callId }, 'the call of a wallet could not be closed');
    });
  };

  const take = async <T>(
    payment: CheckedPayment,
    request: PaidRequest,
    tariff: TariffName,
    work: () => Promise<WorkDone<T>>,
  ): Promise<Taken<T>> => {
    const callId = await reserve(payment, tariff);
    let isPaid = false;
    try {
      const taken = await payments.take(payment, request, work);
      isPaid = taken.status === 'paid';
      return taken;
    } finally {
      await closeCall(payment, callId, isPaid);
    }
  };

  const charge: ChargePayment = async ({ exchange, tariff }, work) => {
    exchange.setHeader('Cache-Control', 'no-store');
    const request = requestOf(exchange, tariff);
    if (exchange.sent === null) throw await askToPay(request, null);
    const checked = await payments.check(exchange.sent, request);
    if (checked.status === 'refused') throw await askToPay(request, checked.reason);
    if (checked.status === 'unknown') throw new ApiError('settlement_unknown');
    if (checked.status === 'id_taken') throw new ApiError('payment_id_taken');
    const taken =
      checked.status === 'good'
        ? await take(checked.payment, request, tariff, work)
        : // It was worked out for the same request and kept as it was.
          {
            ...checked,
            status: 'paid' as const,
            answer: checked.answer as Awaited<ReturnType<typeof work>>['answer'],
          };
    if (taken.status === 'refused') throw await askToPay(request, taken.reason);
    if (taken.status === 'unknown') throw new ApiError('settlement_unknown');
    if (taken.status === 'settlement_failed') {
      const { reason, receipt } = taken;
      exchange.setHeader('PAYMENT-RESPONSE', encodeReceipt(receipt, reason));
      throw new ApiError('settlement_failed');
    }
    if (taken.status === 'paid_in_vain') {
      exchange.setHeader('PAYMENT-RESPONSE', encodeReceipt(taken.receipt, null));
      throw taken.error;
    }
    if (taken.status === 'paid') exchange.setHeader('PAYMENT-RESPONSE', encodeReceipt(taken.receipt, null));
    return taken.answer;
  };

  return async (call, work) => {
    try {
      return await charge(call, work);
    } catch (error) {
      if (error instanceof InvalidPaymentError)
        throw new ApiError('invalid_payment', { sentence: error.message, cause: error });
      if (error instanceof PaymentsUnavailableError) throw new ApiError('unavailable', { cause: error });
      throw error;
    }
  };
};

const requestOf = ({ path, url, body }: PaymentExchange, tariff: TariffName): PaidRequest => {
  const { usdMicros } = TARIFFS[tariff];
  return { hash: hashRequest(path, body()), url, usdMicros, ...describeResource(path) };
};
