import { type Purchase, TARIFFS, type TariffName } from '../../credits/decider/tariffs.ts';
import { hashRequest } from '../../payments/offer/bind-request.ts';
import type { CheckedPayment } from '../../payments/offer/check-payment.ts';
import type { PaidRequest } from '../../payments/offer/offers.ts';
import type { Taken } from '../../payments/settle/settle-work.ts';
import type { Payments } from '../../payments/take-payment.ts';
import type { PaymentExchange } from '../context.ts';
import type { ChargePayment, Work } from './charge-call.ts';
import { payFor } from './pay-for.ts';
import { createReserveCall } from './reserve-call.ts';
import { describeResource } from './resources.ts';
import type { LedgerDependencies } from './take-back.ts';

export type PlaceDependencies = LedgerDependencies & {
  readonly payments: Payments;
};

/** As long as the work may take. */
const LASTS_MS = 150_000;

/**
 * Takes a payment while its wallet holds one of three places. Throws what the work throws, and `ApiError`:
 * `too_many_calls`, `unavailable`; `LedgerUnavailableError`, `PaymentsUnavailableError`.
 */
export const createTakeInPlace = (dependencies: PlaceDependencies) => {
  const { payments, ledger, logger } = dependencies;
  const reserve = createReserveCall(dependencies);

  /**
   * This only frees the wallet's place; the ledger does not decide about the payment. It is not awaited, because
   * anybody who reads the payment on chain could fetch the answer meanwhile.
   */
  const closeCall = async (payment: CheckedPayment, callId: string, isPaid: boolean): Promise<void> => {
    const command = isPaid
      ? ({ type: 'PostCall', callId } as const)
      : ({ type: 'VoidCall', callId, reason: 'failed' } as const);
    await ledger.submit(payment.wallet, command).catch((err: unknown) => {
      logger.error({ err, callId }, 'the reservation of a paying wallet could not be closed');
    });
  };

  return async <T>(
    payment: CheckedPayment,
    request: PaidRequest,
    tariff: Purchase,
    work: Work<T>,
  ): Promise<Taken<T>> => {
    const { callId } = await reserve({ payer: payment.wallet, tariff, keyId: null, lastsMs: LASTS_MS });
    let isPaid = false;
    try {
      const taken = await payments.take(payment, request, work);
      isPaid = taken.status === 'paid';
      return taken;
    } finally {
      void closeCall(payment, callId, isPaid);
    }
  };
};

/**
 * Runs a call that is paid by x402. Throws what the work throws, and `ApiError`: `too_many_calls`,
 * `LedgerUnavailableError`, and those of `payFor`.
 */
export const createChargePayment = (dependencies: PlaceDependencies): ChargePayment => {
  const { payments } = dependencies;
  const take = createTakeInPlace(dependencies);
  return ({ exchange, tariff }, work) => {
    const request = requestOf(exchange, tariff);
    return payFor(payments, exchange, request, (payment) => take(payment, request, tariff, work));
  };
};

const requestOf = (
  { from, path, url, body, keepWorking }: PaymentExchange,
  tariff: TariffName,
): PaidRequest => {
  const { usdMicros } = TARIFFS[tariff];
  return { hash: hashRequest(path, body()), url, from, usdMicros, keepWorking, ...describeResource(path) };
};
