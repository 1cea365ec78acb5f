import { HTTPFacilitatorClient } from '@x402/core/server';
import {
  type PaymentPayload,
  type PaymentRequirements,
  SettleError,
  VerifyError,
  type VerifyResponse,
} from '@x402/core/types';
import { askOnce } from '../platform/ask-once.ts';
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
  /** What it takes and on which terms: asked once for all who ask meanwhile. Throws `PaymentsUnavailableError`. */
  supported(): ReturnType<HTTPFacilitatorClient['getSupported']>;
  /** Throws `PaymentsUnavailableError`: nobody said that the payment is good, so it is not. */
  verify(payment: SignedPayment): Promise<Verification>;
  /** Never throws: whatever happens on the way, the money may have moved. */
  settle(payment: SignedPayment): Promise<Settlement>;
};

export const createFacilitator = ({
  url,
  limits,
  onError,
}: {
  url: string;
  limits: Pick<PaymentLimits, 'askTimeoutMs' | 'settleTimeoutMs'>;
  onError: (error: unknown) => void;
}): Facilitator => {
  const asking = new HTTPFacilitatorClient({ url, timeoutMs: limits.askTimeoutMs });
  const settling = new HTTPFacilitatorClient({ url, timeoutMs: limits.settleTimeoutMs });
  const reach = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      onError(cause);
      throw new PaymentsUnavailableError('the facilitator', { cause });
    }
  };
  // The library's own bound is of each try, and where it is told to come back later it waits for that, twice.
  const askSupported = askOnce(() => reach(() => asking.getSupported()), limits.askTimeoutMs);
  return {
    supported: async () => {
      const supported = await askSupported();
      if (supported === null) throw new PaymentsUnavailableError('the facilitator');
      return supported;
    },
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
