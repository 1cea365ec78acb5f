import type { HistoryKind } from '../../../investigate/model/history.ts';
import { NATIVE } from '../../../investigate/model/movement.ts';
import { associatedAccounts } from '../../solana/encoding/program-address.ts';
import type { HistoryPage, HistorySource, ListQuestion } from '../history-source.ts';
import type { Anchors } from './anchors.ts';
import type { AskJson } from './ask-node.ts';
import { hasTransactionsForAddress, listByAddress } from './list-by-address.ts';
import { newestFirst, oldestFirst } from './list-windows.ts';
import type { WalletHoldings } from './wallet-holdings.ts';

/** A wallet of airdrops has thousands; only the first of them are read, and the history is reported as incomplete. */
const ACCOUNTS_MAX = 200;
const KINDS: readonly HistoryKind[] = ['sent', 'received', 'internal', 'tokens_out', 'tokens_in', 'emitted'];

export type SolanaSourceDependencies = {
  readonly ask: AskJson;
  readonly anchors: Anchors;
  readonly headOf: (signal: AbortSignal) => Promise<{ readonly place: number }>;
  readonly holdingsOf: (wallet: string, signal: AbortSignal) => Promise<WalletHoldings>;
};

/**
 * A wallet's transactions from a Solana node: those that name the wallet, and those that name its token accounts. A
 * node with `getTransactionsForAddress` lists both, of closed accounts too.
 */
export const createSolanaNodeSource = (dependencies: SolanaSourceDependencies): HistorySource => {
  const { ask, anchors, headOf, holdingsOf } = dependencies;
  let hasByAddress: Promise<boolean> | null = null;
  const canByAddress = (signal: AbortSignal): Promise<boolean> => {
    hasByAddress ??= hasTransactionsForAddress(ask, signal).catch((error: unknown) => {
      hasByAddress = null;
      throw error;
    });
    return hasByAddress;
  };
  return {
    name: 'solana-node',
    isNode: true,
    probe: async (signal) => {
      const byAddress = await canByAddress(signal);
      const { place } = await headOf(signal);
      const seeks = !byAddress && (await anchors.areHonoured(place, signal));
      const has = ['getSignaturesForAddress'];
      if (byAddress) has.push('getTransactionsForAddress');
      if (seeks) has.push('foreign before');
      return { kinds: KINDS, has, spanMax: null };
    },
    list: async function* (question, signal) {
      if (!(await canByAddress(signal))) {
        yield* listByAccounts(dependencies, question, signal);
        return;
      }
      // They prove a whole history, and must be known before it is listed.
      if (question.first === 0 && question.asset === null) await holdingsOf(question.address, signal);
      yield* listByAddress(ask, question, signal);
    },
  };
};

async function* listByAccounts(
  dependencies: SolanaSourceDependencies,
  question: ListQuestion,
  signal: AbortSignal,
): AsyncGenerator<HistoryPage> {
  const { accounts, lacks } = await accountsOf(dependencies, question, signal);
  const covers = question.kinds.filter((kind) => lacks[kind] === undefined);
  const { place: head } = await dependencies.headOf(signal);
  const list = question.order === 'newest' ? newestFirst : oldestFirst;
  for await (const { isWhole, ...page } of list(dependencies, accounts, { ...question, head }, signal)) {
    const missed = Object.fromEntries(covers.map((kind) => [kind, 'too_many_signatures']));
    yield isWhole ? { ...page, covers, lacks } : { ...page, covers: [], lacks: { ...missed, ...lacks } };
  }
}

/** The wallet and where it holds tokens; what comes in at closed accounts of other mints names neither. */
const accountsOf = async (
  { holdingsOf }: SolanaSourceDependencies,
  { address, asset, kinds }: ListQuestion,
  signal: AbortSignal,
): Promise<{ accounts: readonly string[]; lacks: Partial<Record<HistoryKind, string>> }> => {
  if (asset !== null && asset !== NATIVE)
    return { accounts: [address, ...associatedAccounts(address, asset)], lacks: {} };
  if (!kinds.includes('tokens_in')) return { accounts: [address], lacks: {} };
  const { tokenAccounts } = await holdingsOf(address, signal);
  const isCut = tokenAccounts.length > ACCOUNTS_MAX;
  return {
    accounts: [address, ...tokenAccounts.slice(0, ACCOUNTS_MAX)],
    lacks: { tokens_in: isCut ? 'too_many_token_accounts' : 'closed_token_accounts' },
  };
};
