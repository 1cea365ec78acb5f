import {
  type Address,
  address,
  type Blockhash,
  createSolanaRpc,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  isSolanaError,
  type Signature,
  type Slot,
  signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION as TOO_NEW,
} from '@solana/kit';
import { getTokenPayerFromTransaction } from '@x402/svm';
import { loginHeaders, splitLogin } from '../../platform/login.ts';
import type { SignedPayment } from '../facilitator.ts';
import type { PaymentChain } from './payment-chain.ts';

/** Signatures in one page, and the maximum number of pages. */
const PAGES = { pageRows: 1_000, pagesMax: 50 };
/** Timeout of one question. */
const TIMEOUT_MS = 10_000;
/** A blockhash lives for 150 blocks, about a minute. The margin covers clock differences. */
const LIFETIME_MS = 150_000;
/** The sysvar with the chain's clock: five numbers of eight bytes, the last one in Unix seconds. */
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const CLOCK_SECONDS_AT = 32;
/** Clock differences. */
const MARGIN_MS = 120_000;

type Payment = { readonly payer: Address; readonly blockhash: Blockhash; readonly message: Buffer };

const decode = (base64: string) => getTransactionDecoder().decode(Buffer.from(base64, 'base64'));

const readTransaction = ({ payload }: SignedPayment): Payment => {
  const transaction = decode(payload.payload.transaction as string);
  const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  const payer = getTokenPayerFromTransaction(transaction);
  const message = Buffer.from(transaction.messageBytes);
  return { payer: address(payer), blockhash: lifetimeToken as Blockhash, message };
};

/**
 * Asks a Solana node what became of a payment. The facilitator signs last, so the signature is unknown: the
 * transaction is found by its memo among those of its payer, and counts only if its message is the payment's. The
 * payer may have used the memo in another transaction.
 */
export const createSolanaChain = (rpcUrl: string, limits: Partial<typeof PAGES> = {}): PaymentChain => {
  const { pageRows, pagesMax } = { ...PAGES, ...limits };
  const { url, login } = splitLogin(rpcUrl);
  const rpc = createSolanaRpc(url.href, { headers: loginHeaders(login) });
  const inTime = () => ({ abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  /** Payments have version 0. A transaction that the node refuses as newer is not one, even if its memo fits. */
  const read = (signature: Signature) =>
    rpc
      .getTransaction(signature, {
        encoding: 'base64',
        commitment: 'confirmed',
        maxSupportedTransactionVersion: 0,
      })
      .send(inTime())
      .catch((error: unknown) => {
        if (isSolanaError(error, TOO_NEW)) return 'too_new' as const;
        throw error;
      });
  const carries = async (signature: Signature, message: Buffer) => {
    const found = await read(signature);
    if (found === 'too_new') return false;
    if (found === null) throw new Error('the node does not hold a transaction that it listed');
    const [base64] = found.transaction;
    return message.equals(Buffer.from(decode(base64).messageBytes));
  };
  /** How far the node is: its newest slot and the chain's time there. */
  const readHead = async () => {
    const { context, value } = await rpc
      .getAccountInfo(CLOCK, { encoding: 'base64', commitment: 'confirmed' })
      .send(inTime());
    if (value === null) throw new Error('the node does not hold the time of its chain');
    const seconds = Buffer.from(value.data[0], 'base64').readBigInt64LE(CLOCK_SECONDS_AT);
    return { slot: context.slot, unixMs: Number(seconds) * 1_000 };
  };
  /** Transactions of an address back to a time, newest first, from a node that has reached `slot`. */
  const listBack = async function* (of: Address, slot: Slot, untilUnixMs: number) {
    let before: Signature | undefined;
    for (let pages = 0; pages < pagesMax; pages++) {
      const page = await rpc
        .getSignaturesForAddress(of, {
          limit: pageRows,
          commitment: 'confirmed',
          minContextSlot: slot,
          ...(before === undefined ? {} : { before }),
        })
        .send(inTime());
      yield* page;
      const last = page.at(-1);
      // A short page is not the last one: a node may list fewer than asked.
      if (last === undefined || isBefore(last.blockTime, untilUnixMs)) return;
      before = last.signature;
    }
    throw new Error('the payer has more transactions than were read');
  };
  return {
    look: async (payment, sinceUnixMs) => {
      const { payer, blockhash, message } = readTransaction(payment);
      const memo = String(payment.requirements.extra.memo);
      // A lagging node may have neither the blockhash nor the transaction, and nodes behind one address may
      // differ.
      const head = await readHead();
      // Read before the search: what the search then misses can no longer arrive.
      const { value: isValid } = await rpc
        .isBlockhashValid(blockhash, { commitment: 'confirmed', minContextSlot: head.slot })
        .send(inTime());
      const listed = listBack(payer, head.slot, sinceUnixMs - MARGIN_MS);
      for await (const { signature: hash, memo: written, err } of listed) {
        // Nodes write a memo as "[length] text".
        if (!written?.endsWith(`] ${memo}`) || !(await carries(hash, message))) continue;
        return err === null
          ? { status: 'moved', transaction: hash }
          : { status: 'cannot_move', reason: 'simulation_failed' };
      }
      return !isValid && head.unixMs > sinceUnixMs + LIFETIME_MS
        ? { status: 'cannot_move', reason: 'payment_expired' }
        : { status: 'not_moved' };
    },
    confirm: async (payment, transaction) => {
      const found = await read(signature(transaction));
      if (found === null || found === 'too_new' || found.meta === null || found.meta.err !== null)
        return false;
      const [base64] = found.transaction;
      return readTransaction(payment).message.equals(Buffer.from(decode(base64).messageBytes));
    },
    // On Solana only a key can sign.
    isContract: async () => false,
  };
};

/** A block without a time may be of any age. */
const isBefore = (blockTimeUnixSeconds: bigint | null, unixMs: number): boolean =>
  blockTimeUnixSeconds !== null && Number(blockTimeUnixSeconds) * 1_000 < unixMs;
