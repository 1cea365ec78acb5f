import {
  type Address,
  address,
  type Blockhash,
  createSolanaRpc,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';
import { getTokenPayerFromTransaction } from '@x402/svm';
import type { SignedPayment } from '../facilitator.ts';
import type { PaymentChain } from './payment-chain.ts';

const PAGE = 1_000;
const TIMEOUT_MS = 10_000;
/** A blockhash lives 150 blocks, about a minute; a node that lags behind must not make it shorter. */
const LIFETIME_MS = 150_000;
/** Clocks apart. */
const MARGIN_MS = 120_000;

const readTransaction = ({ payload }: SignedPayment): { payer: Address; blockhash: Blockhash } => {
  const bytes = Buffer.from(payload.payload.transaction as string, 'base64');
  const transaction = getTransactionDecoder().decode(bytes);
  const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  const payer = getTokenPayerFromTransaction(transaction);
  return { payer: address(payer), blockhash: lifetimeToken as Blockhash };
};

/**
 * Asks a Solana node what became of a payment. The facilitator signs last, so its signature is not known to us: the
 * payment is found among those of its payer by its memo, of which there is one.
 */
export const createSolanaChain = (rpcUrl: string): PaymentChain => {
  const rpc = createSolanaRpc(rpcUrl);
  return {
    look: async (payment, sinceUnixMs) => {
      const abortSignal = AbortSignal.timeout(TIMEOUT_MS);
      const { payer, blockhash } = readTransaction(payment);
      const memo = String(payment.requirements.extra.memo);
      // Before the search: what is not found by then, and can come no more, has not come.
      const { value: isValid } = await rpc
        .isBlockhashValid(blockhash, { commitment: 'confirmed' })
        .send({ abortSignal });
      const transactions = await rpc
        .getSignaturesForAddress(payer, { limit: PAGE, commitment: 'confirmed' })
        .send({ abortSignal });
      // Nodes write a memo as "[length] text".
      const found = transactions.find((one) => one.memo?.endsWith(`] ${memo}`));
      if (found)
        return found.err === null
          ? { status: 'moved', transaction: found.signature }
          : { status: 'cannot_move', reason: 'simulation_failed' };
      const oldest = transactions.at(-1)?.blockTime ?? null;
      const isCut = transactions.length >= PAGE && Number(oldest ?? 0n) * 1_000 > sinceUnixMs - MARGIN_MS;
      if (isCut) throw new Error('the payer has more transactions than were read');
      return !isValid && Date.now() > sinceUnixMs + LIFETIME_MS
        ? { status: 'cannot_move', reason: 'payment_expired' }
        : { status: 'not_moved' };
    },
  };
};
