import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import type { Receipt } from './offer/check-payment.ts';
import type { Reason } from './reasons.ts';

/** PAYMENT-REQUIRED. */
export const encodeOffer = (offer: PaymentRequired): string => encodePaymentRequiredHeader(offer);

/** PAYMENT-RESPONSE: what became of the payment, and why it failed in our words. */
export const encodeReceipt = (receipt: Receipt, failed: Reason | null): string =>
  encodePaymentResponseHeader({
    success: failed === null,
    ...(failed === null ? {} : { errorReason: failed }),
    ...receipt,
  });
