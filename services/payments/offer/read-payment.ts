import { createHash } from 'node:crypto';
import { getTransactionDecoder } from '@solana/kit';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { PaymentPayloadV2Schema } from '@x402/core/schemas';
import type { PaymentPayload } from '@x402/core/types';
import { isValidPaymentId, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { getTokenPayerFromTransaction } from '@x402/svm';
import { z } from 'zod';
import { isSolana } from '../is-solana.ts';
import { PAYMENT_SECONDS_MAX } from './offers.ts';

/** A payment as the client sent it, unchecked. */
export type SentPayment = {
  readonly payload: PaymentPayload;
  /** Identifies the authorisation, not the signature: one authorisation can be signed in several ways. */
  readonly key: string;
  /** The payer in the chain's own spelling. */
  readonly payer: string;
  /** When the chain stops accepting it; null if only the offer's age tells. */
  readonly expiresUnixMs: number | null;
  /** Recipient and amount, where they can be read without the chain: on EVM. */
  readonly transfer: { readonly to: string; readonly value: string } | null;
  /** The client's own id, to ask for the same answer again. */
  readonly paymentId: string | null;
};

/** The header is not a payment of x402 version 2 with the scheme `exact`. */
export class InvalidPaymentError extends Error {
  readonly code = 'invalid_payment';
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InvalidPaymentError';
  }
}

const HEADER_MAX = 16_384;
/** Clock differences. */
const AHEAD_SECONDS_MAX = PAYMENT_SECONDS_MAX + 60;

const UINT = /^\d{1,78}$/;
/** Lower case: a chain's client refuses capitals and compares text. */
const hex = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`))
    .toLowerCase();
const evmPayload = z.strictObject({
  // Whole bytes. A contract's signature has any length: a passkey wallet without code sends its factory, too (ERC-6492).
  signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,}$/),
  authorization: z.strictObject({
    from: hex(40),
    to: hex(40),
    value: z.string().regex(UINT),
    validAfter: z.string().regex(UINT),
    validBefore: z.string().regex(/^\d{1,12}$/),
    nonce: hex(64),
  }),
});
const solanaPayload = z.strictObject({ transaction: z.base64().max(4_096) });

/**
 * What one EVM payment authorises, with lower-case addresses and nonce. Throws `InvalidPaymentError` if it is not
 * an EIP-3009 authorisation.
 */
export const readAuthorization = (payload: PaymentPayload) => {
  const parsed = evmPayload.safeParse(payload.payload);
  // Allowances (Permit2) are refused: one can be promised to many at once.
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.');
    throw new InvalidPaymentError(
      `The payment is not an EIP-3009 authorisation: see payload${path ? `.${path}` : ''}.`,
    );
  }
  return parsed.data.authorization;
};

/** Throws `InvalidPaymentError`. */
export const readPayment = (header: string, nowUnixMs: number): SentPayment => {
  const payload = decode(header);
  const paymentId = readPaymentId(payload);
  return isSolana(payload.accepted.network)
    ? { payload, paymentId, ...readSolana(payload), expiresUnixMs: null, transfer: null }
    : { payload, paymentId, ...readEvm(payload, nowUnixMs) };
};

const identifier = z.object({ info: z.object({ id: z.string().refine(isValidPaymentId).nullish() }) });

/** A silently dropped id would make its client pay again. A schema that the client sends with it is not run. */
const readPaymentId = ({ extensions }: PaymentPayload): string | null => {
  const declared = extensions?.[PAYMENT_IDENTIFIER];
  if (declared === undefined) return null;
  const parsed = identifier.safeParse(declared);
  if (!parsed.success)
    throw new InvalidPaymentError(
      'payment-identifier: id must be 16 to 128 letters, digits, hyphens and underscores.',
    );
  return parsed.data.info.id ?? null;
};

const decode = (header: string): PaymentPayload => {
  if (header.length > HEADER_MAX) throw new InvalidPaymentError('PAYMENT-SIGNATURE is too long.');
  let value: unknown;
  try {
    value = decodePaymentSignatureHeader(header);
  } catch (cause) {
    throw new InvalidPaymentError('PAYMENT-SIGNATURE is not base64 JSON.', { cause });
  }
  const parsed = PaymentPayloadV2Schema.safeParse(value);
  if (!parsed.success || parsed.data.accepted.scheme !== 'exact')
    throw new InvalidPaymentError('PAYMENT-SIGNATURE is not a payment of x402 version 2, scheme exact.');
  return parsed.data as PaymentPayload;
};

const readEvm = (payload: PaymentPayload, nowUnixMs: number) => {
  const { from, to, value, nonce, validBefore } = readAuthorization(payload);
  const { network, asset } = payload.accepted;
  const expiresUnixMs = Number(validBefore) * 1_000;
  // Used payments are remembered until they expire, so the expiry must be near.
  if (expiresUnixMs > nowUnixMs + AHEAD_SECONDS_MAX * 1_000)
    throw new InvalidPaymentError('validBefore lies further ahead than maxTimeoutSeconds.');
  const key = digest(network, asset.toLowerCase(), from, nonce);
  return { payer: from, transfer: { to, value }, expiresUnixMs, key };
};

const readSolana = (payload: PaymentPayload) => {
  const parsed = solanaPayload.safeParse(payload.payload);
  if (!parsed.success) throw new InvalidPaymentError('The payment is not a Solana transaction.');
  try {
    const transaction = getTransactionDecoder().decode(Buffer.from(parsed.data.transaction, 'base64'));
    const message = Buffer.from(transaction.messageBytes).toString('base64');
    const payer = getTokenPayerFromTransaction(transaction);
    return { payer, key: digest(payload.accepted.network, message) };
  } catch (cause) {
    throw new InvalidPaymentError('The payment is not a Solana transaction.', { cause });
  }
};

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
