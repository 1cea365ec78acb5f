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
import { loginHeaders } from '../../platform/login-headers.ts';
import { splitLogin } from '../../platform/split-login.ts';
import type { SignedPayment } from '../facilitator.ts';
import type { PaymentChain } from './payment-chain.ts';

/** What a node lists at once, and how often it is asked for the next. */
const PAGES = { pageRows: 1_000, pagesMax: 50 };
/** Of one question. */
const TIMEOUT_MS = 10_000;
/** A blockhash lives 150 blocks, about a minute; clocks that are apart must not make it shorter. */
const LIFETIME_MS = 150_000;
/** The account in which the chain keeps its own time: five numbers of eight bytes, the last the Unix seconds. */
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const CLOCK_SECONDS_AT = 32;
/** Clocks apart. */
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
 * Asks a Solana node what became of a payment. The facilitator signs last, so the transaction's signature is not known
 * to us: it is found among those of its payer by its memo, and is the payment only where its message is. What else the
 * memo stands in the payer may have signed to pay somebody else.
 */
export const createSolanaChain = (rpcUrl: string, limits: Partial<typeof PAGES> = {}): PaymentChain => {
  const { pageRows, pagesMax } = { ...PAGES, ...limits };
  const { url, login } = splitLogin(rpcUrl);
  const rpc = createSolanaRpc(url.href, { headers: loginHeaders(login) });
  const inTime = () => ({ abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  /** Payments are of version 0. What a node refuses as newer is none, though its memo may be a payment's. */
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
  /** How far the node is: its newest slot, and when the chain says that this was. */
  const readHead = async () => {
    const { context, value } = await rpc
      .getAccountInfo(CLOCK, { encoding: 'base64', commitment: 'confirmed' })
      .send(inTime());
    if (value === null) throw new Error('the node does not hold the time of its chain');
    const seconds = Buffer.from(value.data[0], 'base64').readBigInt64LE(CLOCK_SECONDS_AT);
    return { slot: context.slot, unixMs: Number(seconds) * 1_000 };
  };
  /** The transactions of an address back to a time, newest first, of a node that is no less far than `slot`. */
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
      // A page that is not full is no last one: a node may list fewer at once than it is asked for.
      if (last === undefined || isBefore(last.blockTime, untilUnixMs)) return;
      before = last.signature;
    }
    throw new Error('the payer has more transactions than were read');
  };
  return {
    look: async (payment, sinceUnixMs) => {
      const { payer, blockhash, message } = readTransaction(payment);
      const memo = String(payment.requirements.extra.memo);
      // A node that stands still holds neither the blockhash nor the transaction, and nodes behind one address may be apart.
      const head = await readHead();
      // Before the search: what is not found by then, and can come no more, has not come.
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
    // Only a key can sign here.
    isContract: async () => false,
  };
};

/** A block without a time may be of any. */
const isBefore = (blockTimeUnixSeconds: bigint | null, unixMs: number): boolean =>
  blockTimeUnixSeconds !== null && Number(blockTimeUnixSeconds) * 1_000 < unixMs;
