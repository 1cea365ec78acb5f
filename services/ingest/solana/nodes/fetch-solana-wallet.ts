import type { Movement } from '../../../investigate/model/movement.ts';
import { decodeAnswer, malformed } from '../../nodes/decode-answer.ts';
import { type RetryLimits, retryTransient } from '../../nodes/source-error.ts';
import { cutToTransaction, ownPlace } from '../../wallets/cut-to-transaction.ts';
import type { WalletSource } from '../../wallets/wallet-source.ts';
import { decodeSolanaBlock } from '../decode-solana-block.ts';
import { NEWEST_VERSION, UNSUPPORTED } from '../encoding/known-version.ts';
import { parseSolanaBlock } from '../encoding/parse-solana-block.ts';
import { UNSUPPORTED_VERSION } from './ask-for-block.ts';
import { createSolanaRpc, parseResult, type SolanaRpcOptions } from './solana-rpc.ts';
import { toSourceError } from './solana-rpc-error.ts';
import { askHoldings, coverageOf } from './wallet-holdings.ts';

export type SolanaWalletOptions = SolanaRpcOptions & {
  readonly chain: string;
  readonly retry?: RetryLimits;
};

/** The maximum of entries in one answer. */
const PAGE = 1_000;
/** A wallet of airdrops has thousands; only the first of them are read, and the history is reported as incomplete. */
const ACCOUNTS_MAX = 201;
const FINALIZED = { commitment: 'finalized' } as const;

type Signature = { readonly signature: string; readonly slot: number };

/**
 * A wallet's transactions from a Solana node: those that name the wallet, and those that name a token account it
 * owns now. Transactions of closed token accounts are not listed anywhere. If the transactions read do not add up
 * to the balance, or one has an unknown version, the history is reported as incomplete.
 */
export const createSolanaWalletSource = ({ chain, retry, ...options }: SolanaWalletOptions): WalletSource => {
  const rpc = createSolanaRpc(options);
  const askOnce: Ask = async (...request) => {
    const answer = await rpc.ask(...request);
    if ('resultText' in answer) return answer.resultText;
    if (answer.failure.code === UNSUPPORTED_VERSION) return UNREADABLE;
    throw toSourceError(answer.failure);
  };
  const ask: Ask = (method, params, signal) =>
    retryTransient(() => askOnce(method, params, signal), signal, retry);
  return {
    chain,
    read: async function* (wallet, { transactionsMax }, signal) {
      const holdings = await askHoldings(
        async (method, params) => parseResult(await ask(method, params, signal), method),
        wallet,
      );
      const accounts = [wallet, ...holdings.tokenAccounts];
      const listed = await listSignatures(ask, accounts, transactionsMax, signal);
      const moved: { slot: number; movements: readonly Movement[] }[] = [];
      let isComplete = listed.isComplete;
      let isReadable = true;
      for (const { signature, slot } of listed.signatures) {
        const text = await ask('getTransaction', [signature, TRANSACTION_OPTIONS], signal);
        // Listed but pruned.
        if (text.trim() === 'null') isComplete = false;
        else if (text === UNREADABLE) isReadable = false;
        else {
          const block = decodeAlone(text, { chain, slot });
          if (block === 'unreadable') isReadable = false;
          if (block === null || block === 'unreadable') continue;
          moved.push({ slot, movements: block.movements });
          yield block;
        }
      }
      if (!isComplete) return 'older_left_out';
      return isReadable ? coverageOf(wallet, holdings, moved) : 'transfers_left_out';
    },
  };
};

type Ask = (method: string, params: readonly unknown[], signal: AbortSignal) => Promise<string>;

const TRANSACTION_OPTIONS = {
  ...FINALIZED,
  encoding: 'json',
  maxSupportedTransactionVersion: NEWEST_VERSION,
};
/** Stands for a transaction of an unknown version; it is no JSON, so no node sends it. */
const UNREADABLE = 'unreadable version';

/** The newest transactions that name the wallet or its accounts, newest first, each once. */
const listSignatures = async (ask: Ask, accounts: readonly string[], max: number, signal: AbortSignal) => {
  const found = new Map<string, Signature>();
  let isComplete = accounts.length <= ACCOUNTS_MAX;
  for (const account of accounts.slice(0, ACCOUNTS_MAX)) {
    const signatures = await listSignaturesOf(ask, account, max, signal);
    // One more than requested shows that there are more.
    if (signatures.length > max) isComplete = false;
    for (const each of signatures) found.set(each.signature, each);
  }
  const signatures = [...found.values()].sort((a, b) => b.slot - a.slot);
  return { signatures: signatures.slice(0, max), isComplete: isComplete && signatures.length <= max };
};

const listSignaturesOf = async (
  ask: Ask,
  account: string,
  max: number,
  signal: AbortSignal,
): Promise<Signature[]> => {
  const signatures: Signature[] = [];
  for (;;) {
    const limit = Math.min(PAGE, max + 1 - signatures.length);
    const before = signatures.at(-1)?.signature;
    const options = { ...FINALIZED, limit, ...(before === undefined ? {} : { before }) };
    const text = await ask('getSignaturesForAddress', [account, options], signal);
    const page = readSignatures(parseResult(text, 'getSignaturesForAddress'));
    signatures.push(...page);
    if (page.length < limit || signatures.length > max) return signatures;
  }
};

/** Throws a `SourceError` if the answer has another form. */
const readSignatures = (answer: unknown): Signature[] => {
  if (!Array.isArray(answer)) throw malformed('getSignaturesForAddress gave no list');
  return answer.map((entry: Partial<Record<keyof Signature, unknown>> | null) => {
    const { signature, slot } = entry ?? {};
    if (typeof signature === 'string' && typeof slot === 'number') return { signature, slot };
    throw malformed('getSignaturesForAddress gave an entry without signature or slot');
  });
};

/**
 * The answer holds a block's transaction with slot and time, and is decoded as a block of its own; `unreadable`
 * for an unknown version. Throws `SourceError` if it cannot be decoded.
 */
const decodeAlone = (text: string, { chain, slot }: { chain: string; slot: number }) => {
  const head = '"blockhash":"","previousBlockhash":"","parentSlot":0';
  return decodeAnswer(() => {
    const block = parseSolanaBlock(`{${head},"transactions":[${text}]}`) as {
      transactions: { blockTime?: number | null }[];
    };
    const blockTime = block.transactions[0]?.blockTime ?? null;
    const decoded = decodeSolanaBlock({ block: { ...block, blockTime }, slot, chain, votes: 'sum' });
    if (decoded.problems.some(({ code }) => code === UNSUPPORTED)) return 'unreadable';
    return cutToTransaction(decoded, ownPlace);
  });
};
