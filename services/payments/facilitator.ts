import { HTTPFacilitatorClient } from '@x402/core/server';
import {
  type PaymentPayload,
  type PaymentRequirements,
  SettleError,
  VerifyError,
  type VerifyResponse,
} from '@x402/core/types';
import { PaymentsUnavailableError } from './book/payment-book.ts';
import type { PaymentLimits } from './limits.ts';
import { type Reason, reasonOf } from './reasons.ts';
import { readSettlement, type Settlement } from './settle/settlement.ts';

/** A payment as the client signed it, and what it was asked for. */
export type SignedPayment = { readonly payload: PaymentPayload; readonly requirements: PaymentRequirements };

export type Verification =
  | { readonly isValid: true; readonly payer: string }
  | { readonly isValid: false; readonly reason: Reason };

/** The third party that checks payments and puts them on chain. */
export type Facilitator = {
  /** What it takes and on which terms. Throws `PaymentsUnavailableError`. */
  supported(): ReturnType<HTTPFacilitatorClient['getSupported']>;
  /** Throws `PaymentsUnavailableError`: nobody said that the payment is good, so it is not. */
  verify(payment: SignedPayment): Promise<Verification>;
  /** Never throws: whatever happens on the way, the money may have moved. */
  settle(payment: SignedPayment): Promise<Settlement>;
};

const ASK_TIMEOUT_MS = 10_000;

export const createFacilitator = ({
  url,
  limits,
  onError,
}: {
  url: string;
  limits: Pick<PaymentLimits, 'settleTimeoutMs'>;
  onError: (error: unknown) => void;
}): Facilitator => {
  const asking = new HTTPFacilitatorClient({ url, timeoutMs: ASK_TIMEOUT_MS });
  const settling = new HTTPFacilitatorClient({ url, timeoutMs: limits.settleTimeoutMs });
  const reach = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      onError(cause);
      throw new PaymentsUnavailableError('the facilitator', { cause });
    }
  };
  return {
    supported: () => reach(() => asking.getSupported()),
    verify: ({ payload, requirements }) =>
      reach(async () => {
        const answer = await asking.verify(payload, requirements).catch((error: unknown): VerifyResponse => {
          // Some say "not valid" with a status of 400.
          if (error instanceof VerifyError && error.statusCode < 500)
            return { isValid: false, invalidReason: error.invalidReason ?? '' };
          throw error;
        });
        const { isValid, payer, invalidReason } = answer;
        if (!isValid) return { isValid, reason: reasonOf(invalidReason) };
        if (payer === undefined || payer === '') throw new Error('a valid payment without a payer');
        return { isValid, payer };
      }),
    settle: async ({ payload, requirements }) => {
      try {
        return readSettlement(await settling.settle(payload, requirements));
      } catch (error) {
        onError(error);
        const isAnswer = error instanceof SettleError && error.statusCode < 500;
        return isAnswer ? readSettlement({ success: false, ...answerOf(error) }) : { status: 'unknown' };
      }
    },
  };
};

const answerOf = ({ transaction, errorReason }: SettleError) => ({
  transaction: transaction ?? '',
  ...(errorReason === undefined ? {} : { errorReason }),
});
