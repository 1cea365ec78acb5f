import type { KeyPairSigner } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired, SettleResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import type { PrivateKeyAccount } from 'viem';
import { expect, vi } from 'vitest';
import { EVM_NETWORK } from '../evm/payment-chain.ts';
import type { SmartWallet } from '../evm/smart-wallet.ts';
import { SOLANA_NETWORK } from '../solana/payment-bank.ts';

/** The official client with a wallet on Base. */
export const evmClient = (wallet: PrivateKeyAccount | SmartWallet): x402Client =>
  new x402Client().register(EVM_NETWORK, new ExactEvmScheme(wallet as PrivateKeyAccount));

/** The official client with a wallet on Solana. */
export const solanaClient = (wallet: KeyPairSigner, rpcUrl: string): x402Client =>
  new x402Client().register(SOLANA_NETWORK, new ExactSvmScheme(wallet, { rpcUrl }));

/** The official `fetch` that pays when it is asked to. */
export const payingFetch = (client: x402Client): typeof fetch =>
  wrapFetchWithPayment(fetch, client) as typeof fetch;

export const offerOf = (response: Response): PaymentRequired =>
  decodePaymentRequiredHeader(response.headers.get('payment-required') ?? '');

export const receiptOf = (response: Response): SettleResponse =>
  decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');

/** A payment signed by the official client and not sent yet. */
export type Signed = { readonly headers: Record<string, string>; readonly payload: PaymentPayload };

export const signPayment = async (client: x402Client, offer: PaymentRequired): Promise<Signed> => {
  const payload = await client.createPaymentPayload(offer);
  return { headers: new x402HTTPClient(client).encodePaymentSignatureHeader(payload), payload };
};

/** What an answer says in one line: its status and code, and why a payment was refused or failed. */
export const readOutcome = async (response: Response): Promise<string> => {
  const { code } = (await response.json()) as { code?: string };
  const refused = response.headers.has('payment-required') ? offerOf(response).error?.split(':')[0] : null;
  const failed = response.headers.has('payment-response') ? receiptOf(response).errorReason : null;
  return [response.status, code, refused ?? failed].filter(Boolean).join(' ');
};

/** The same payment with something else in it. */
export const encodePayment = (payload: unknown): Record<string, string> => ({
  'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payload)).toString('base64'),
});

/** Sends until it is answered with 200, for a minute. */
export const insist = (send: () => Promise<Response>): Promise<Response> =>
  vi.waitFor(
    async () => {
      const response = await send();
      expect(response.status).toBe(200);
      return response;
    },
    { timeout: 60_000, interval: 100 },
  );
