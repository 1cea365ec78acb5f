import { x402Client, x402HTTPClient } from '@x402/core/client';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired, SettleResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem';
import { EVM_NETWORK } from '../evm/payment-chain.ts';

/** The official client with a wallet on Base. */
export const createPayingClient = (wallet: PrivateKeyAccount): x402Client =>
  new x402Client().register(EVM_NETWORK, new ExactEvmScheme(wallet));

/** The official `fetch` that pays when it is asked to. */
export const payingFetch = (wallet: PrivateKeyAccount): typeof fetch =>
  wrapFetchWithPayment(fetch, createPayingClient(wallet)) as typeof fetch;

export const offerOf = (response: Response): PaymentRequired =>
  decodePaymentRequiredHeader(response.headers.get('payment-required') ?? '');

export const receiptOf = (response: Response): SettleResponse =>
  decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');

/** A payment signed by the official client and not sent yet. */
export type Signed = { readonly headers: Record<string, string>; readonly payload: PaymentPayload };

export const signPayment = async (wallet: PrivateKeyAccount, offer: PaymentRequired): Promise<Signed> => {
  const client = createPayingClient(wallet);
  const payload = await client.createPaymentPayload(offer);
  return { headers: new x402HTTPClient(client).encodePaymentSignatureHeader(payload), payload };
};

/** The same payment with something else in it. */
export const encodePayment = (payload: unknown): Record<string, string> => ({
  'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payload)).toString('base64'),
});
