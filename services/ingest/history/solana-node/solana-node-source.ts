import type { HistoryKind, Window } from '../../../investigate/model/history.ts';
import { NATIVE } from '../../../investigate/model/movement.ts';
import { associatedAccounts } from '../../solana/encoding/program-address.ts';
import type { HistoryPage, HistorySource, ListedTransaction, ListQuestion } from '../history-source.ts';
import { ANCHOR_SLOTS, type Anchors } from './anchors.ts';
import type { AskJson } from './ask-node.ts';
import { hasTransactionsForAddress, listByAddress } from './list-by-address.ts';
import { listSignatures, PAGE, within } from './list-signatures.ts';
import type { WalletHoldings } from './wallet-holdings.ts';

/** A wallet of airdrops has thousands; only the first of them are read, and the history is reported as incomplete. */
const ACCOUNTS_MAX = 200;
/** Signatures in one page of ours; more are listed as they are needed. */
const PAGE_MAX = 10 * PAGE;
/** Windows from the oldest on grow by this. */
const GROWTH = 6;

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
  const pages =
    question.order === 'newest'
      ? newestFirst(dependencies, accounts, { ...question, head }, signal)
      : oldestFirst(dependencies, accounts, { ...question, head }, signal);
  for await (const page of pages) yield { ...page, covers, lacks };
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

type Ordered = Window & { readonly head: number };
type Page = Window & { readonly listed: readonly ListedTransaction[] };

/** Downward from the end of the window. What came while it is read is listed, too. */
async function* newestFirst(
  { ask, anchors }: SolanaSourceDependencies,
  accounts: readonly string[],
  { first, last, head }: Ordered,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const isOpen = last >= head;
  for (let end = last; end >= first; ) {
    const anchor = end >= head ? null : await anchors.above(end, head, signal);
    const lists = await Promise.all(
      accounts.map((account) =>
        listSignatures(ask, account, { first, max: PAGE_MAX, before: anchor?.signature }, signal),
      ),
    );
    const reached = Math.max(first, ...lists.map((list) => list.reached));
    const top = isOpen && end === last ? Number.POSITIVE_INFINITY : end;
    // Without an anchor the list begins at the newest again: everything down to the window must be listed at once.
    if (reached > end) {
      yield* deep(ask, accounts, { first, last: end }, signal);
      return;
    }
    yield { first: reached, last: end, listed: united(lists, { first: reached, last: top }) };
    end = reached - 1;
  }
}

/** Windows that grow, each with its own anchor. Without anchors the whole window is listed at once. */
async function* oldestFirst(
  dependencies: SolanaSourceDependencies,
  accounts: readonly string[],
  window: Ordered,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const { ask, anchors } = dependencies;
  const { last, head } = window;
  // Most wallets have one page since then, whatever the window.
  const whole = await Promise.all(
    accounts.map((account) => listSignatures(ask, account, { first: window.first, max: 1 }, signal)),
  );
  if (whole.every(({ reached }) => reached === window.first)) {
    yield { first: window.first, last, listed: united(whole, { first: window.first, last }) };
    return;
  }
  let width = ANCHOR_SLOTS;
  for (let first = window.first; first <= last; ) {
    const end = Math.min(last, first + width - 1);
    const anchor = await anchors.above(end, head, signal);
    if (anchor === null && end < last && !(await anchors.areHonoured(head, signal))) {
      yield* deep(ask, accounts, { first, last }, signal);
      return;
    }
    const until = anchor === null ? last : end;
    const lists = await Promise.all(
      accounts.map((account) =>
        listSignatures(ask, account, { first, max: PAGE_MAX, before: anchor?.signature }, signal),
      ),
    );
    const reached = Math.max(...lists.map((list) => list.reached));
    if (reached > first && width > 1) {
      width = Math.max(1, Math.floor(width / GROWTH));
      continue;
    }
    yield { first, last: until, listed: united(lists, { first, last: until }) };
    first = until + 1;
    width *= GROWTH;
  }
}

/** Everything from the newest down to the window, page after page: what a node without anchors costs. */
async function* deep(
  ask: AskJson,
  accounts: readonly string[],
  { first, last }: Window,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const max = Number.POSITIVE_INFINITY;
  const lists = await Promise.all(
    accounts.map((account) => listSignatures(ask, account, { first, max }, signal)),
  );
  yield { first, last, listed: united(lists, { first, last }) };
}

const united = (
  lists: readonly { readonly listed: readonly ListedTransaction[] }[],
  window: Window,
): ListedTransaction[] => {
  const all = lists.flatMap(({ listed }) => within(window, listed));
  return [...new Map(all.map((each) => [each.id, each])).values()];
};
