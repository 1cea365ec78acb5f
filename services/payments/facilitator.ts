import type { PaymentPayload, PaymentRequirements, SupportedResponse } from '@x402/core/types';
import { z } from 'zod';
import { askOnce } from '../platform/ask-once.ts';
import { askFacilitator, type FacilitatorAnswer } from './ask-facilitator.ts';
import { PaymentsUnavailableError } from './book/payment-book.ts';
import type { PaymentLimits } from './limits.ts';
import { type Reason, reasonOf } from './reasons.ts';
import { readSettlement, type Settlement } from './settle/settlement.ts';

/** A payment as the client signed it, with its terms. */
export type SignedPayment = { readonly payload: PaymentPayload; readonly requirements: PaymentRequirements };

export type Verification =
  /** null: it names no payer, which the specification lets it leave out. */
  | { readonly isValid: true; readonly payer: string | null }
  | { readonly isValid: false; readonly reason: Reason };

/** The third party that checks payments and puts them on chain. */
export type Facilitator = {
  /** Its supported terms. Concurrent callers share one question. Throws `PaymentsUnavailableError`. */
  supported(): Promise<SupportedResponse>;
  /** Throws `PaymentsUnavailableError`: a payment that nobody confirmed is not good. */
  verify(payment: SignedPayment): Promise<Verification>;
  /**
   * The facilitator's claim, which needs proof. Never throws: whatever fails on the way, the money may have moved.
   */
  settle(payment: SignedPayment): Promise<Settlement>;
};

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
/** Facilitators write what they leave out as null, too. */
const orLeftOut = <T>(schema: z.ZodType<T>, otherwise: T) =>
  schema.nullish().transform((value) => value ?? otherwise);
const supportedSchema = z.object({
  kinds: z.array(
    z.object({
      x402Version: z.number(),
      scheme: z.string(),
      network: z.custom<`${string}:${string}`>((value) => typeof value === 'string'),
      extra: z
        .record(z.string(), z.unknown())
        .nullish()
        .transform((value) => value ?? undefined),
    }),
  ),
  extensions: orLeftOut(z.array(z.string()), []),
  signers: orLeftOut(z.record(z.string(), z.array(z.string())), {}),
});
const verifySchema = z.object({ isValid: z.boolean(), invalidReason: text, payer: text });
const settleSchema = z.object({ success: z.boolean(), transaction: text, errorReason: text });

/** Some facilitators refuse with status 400. Throws on every other status. */
const readAnswer = <T>({ status, body }: FacilitatorAnswer, schema: z.ZodType<T>): T => {
  if (status >= 500) throw new Error(`the facilitator answers with ${status}`);
  return schema.parse(body);
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
  const base = url.replace(/\/+$/, '');
  const askAbout = ({ payload, requirements }: SignedPayment, path: string, timeoutMs: number) => {
    const body = {
      x402Version: payload.x402Version,
      paymentPayload: payload,
      paymentRequirements: requirements,
    };
    return askFacilitator(`${base}${path}`, { body, timeoutMs });
  };
  const reach = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      onError(cause);
      throw new PaymentsUnavailableError('the facilitator', { cause });
    }
  };
  const { askTimeoutMs, settleTimeoutMs } = limits;
  const readTerms = async (): Promise<SupportedResponse> => {
    const answer = await askFacilitator(`${base}/supported`, { timeoutMs: askTimeoutMs });
    if (answer.status !== 200) throw new Error(`the facilitator answers with ${answer.status}`);
    // The library's type declares optional members as never undefined.
    return supportedSchema.parse(answer.body) as SupportedResponse;
  };
  const askSupported = askOnce(() => reach(readTerms), askTimeoutMs);
  return {
    supported: async () => {
      const supported = await askSupported();
      if (supported === null) throw new PaymentsUnavailableError('the facilitator');
      return supported;
    },
    verify: (payment) =>
      reach(async () => {
        const answer = await askAbout(payment, '/verify', askTimeoutMs);
        const { isValid, payer, invalidReason } = readAnswer(answer, verifySchema);
        if (!isValid) return { isValid, reason: reasonOf(invalidReason) };
        return { isValid, payer: payer || null };
      }),
    settle: async (payment) => {
      try {
        const answer = await askAbout(payment, '/settle', settleTimeoutMs);
        return readSettlement(payment.requirements.network, readAnswer(answer, settleSchema));
      } catch (error) {
        onError(error);
        return { status: 'unknown' };
      }
    },
  };
};
