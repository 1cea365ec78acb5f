import type { HistoryKind, Window } from '../../../investigate/model/history.ts';
import { SourceError } from '../../nodes/source-error.ts';
import type {
  HistoryPage,
  HistorySource,
  ListedTransaction,
  ListQuestion,
  Offers,
} from '../history-source.ts';
import { type AskExplorer, createAskExplorer, type ExplorerOptions } from './ask-explorer.ts';

/** Rows that free plans give in one answer. */
const ROWS = 1_000;
/** Pages reach no further than this many rows. */
const ROWS_REACHABLE = 10_000;
/** The lowest limit known of any service: lists as long may be cut, whatever was asked for. */
const CUT_FROM = 100;

type Action = { readonly name: string; readonly kinds: readonly HistoryKind[] };
const ACTIONS: readonly Action[] = [
  { name: 'txlist', kinds: ['sent', 'received'] },
  { name: 'txlistinternal', kinds: ['internal'] },
  { name: 'tokentx', kinds: ['tokens_out', 'tokens_in'] },
  { name: 'tokennfttx', kinds: ['tokens_out', 'tokens_in'] },
  { name: 'token1155tx', kinds: ['tokens_out', 'tokens_in'] },
];
const PROBED = `0x${'0'.repeat(39)}1`;

/** Etherscan v2, Blockscout and Routescan: the free lists of internal calls, by windows. */
export const createEtherscanLikeSource = (options: ExplorerOptions): HistorySource => {
  const ask = createAskExplorer(options);
  let probing: Promise<Offers> | null = null;
  return {
    name: 'etherscan-like',
    probe: (signal) => {
      probing ??= probe(ask, signal).catch((error: unknown) => {
        probing = null;
        throw error;
      });
      return probing;
    },
    list: (question, signal) => listWindow(ask, question, signal),
  };
};

/** An action that is refused is not offered. @throws if all are */
const probe = async (ask: AskExplorer, signal: AbortSignal): Promise<Offers> => {
  const has: string[] = [];
  const refused = new Set<HistoryKind>();
  let failure: unknown = null;
  for (const { name, kinds } of ACTIONS) {
    const window = { startblock: '0', endblock: '1', page: '1', offset: '1', sort: 'asc' };
    try {
      await ask(name, { address: PROBED, ...window }, signal);
      has.push(name);
    } catch (error) {
      signal.throwIfAborted();
      // What a used-up day refuses is offered tomorrow.
      const isForNow = !(error instanceof SourceError) || error.transient || error.code === 'quota_used';
      if (isForNow) throw error;
      failure = error;
      for (const kind of kinds) refused.add(kind);
    }
  }
  if (has.length === 0) throw failure;
  const offered = ACTIONS.flatMap(({ kinds }) => kinds).filter((kind) => !refused.has(kind));
  return { kinds: [...new Set(offered)], has, spanMax: null };
};

async function* listWindow(
  ask: AskExplorer,
  { address, kinds, asset, order, first, last }: ListQuestion,
  signal: AbortSignal,
): AsyncGenerator<HistoryPage> {
  const wanted = ACTIONS.filter((action) => action.kinds.some((kind) => kinds.includes(kind)));
  const isToken = asset?.startsWith('0x') === true;
  const fields = { address, ...(isToken ? { contractaddress: asset } : {}) };
  for (let rest: Window = { first, last }; rest.first <= rest.last; ) {
    const within = rest;
    const lists = await Promise.all(
      wanted.map(({ name }) => listRows(ask, name, fields, { ...within, order }, signal)),
    );
    const reached =
      order === 'oldest'
        ? Math.min(...lists.map((list) => list.reached))
        : Math.max(...lists.map((list) => list.reached));
    const done =
      order === 'oldest' ? { first: within.first, last: reached } : { first: reached, last: within.last };
    const listed = lists
      .flatMap(({ rows }) => rows)
      .filter(({ block }) => done.first <= block && block <= done.last);
    yield { ...done, listed, covers: kinds };
    rest =
      order === 'oldest'
        ? { first: reached + 1, last: within.last }
        : { first: within.first, last: reached - 1 };
  }
}

type Ordered = Window & { readonly order: 'oldest' | 'newest' };

/** Rows from the window's begin, and the block up to which they are all. */
const listRows = async (
  ask: AskExplorer,
  action: string,
  fields: Readonly<Record<string, string>>,
  { first, last, order }: Ordered,
  signal: AbortSignal,
): Promise<{ rows: ListedTransaction[]; reached: number }> => {
  const isAscending = order === 'oldest';
  const rows: ListedTransaction[] = [];
  const end = isAscending ? last : first;
  for (let page = 1; page * ROWS <= ROWS_REACHABLE; page++) {
    const window = { startblock: String(first), endblock: String(last), sort: isAscending ? 'asc' : 'desc' };
    const got = await ask(action, { ...fields, ...window, page: String(page), offset: String(ROWS) }, signal);
    refuseForeign(action, [...rows.slice(-1), ...got], { first, last, order });
    rows.push(...got);
    const edge = rows.at(-1)?.block ?? end;
    if (rows.length < CUT_FROM || (page > 1 && got.length === 0))
      return { rows, reached: rows.length < CUT_FROM ? end : edge };
    // The last block may go on beyond the page, and a short page may have been cut.
    const isOneBlock = edge === (isAscending ? first : last) || edge === rows[0]?.block;
    if (!isOneBlock) return { rows, reached: isAscending ? edge - 1 : edge + 1 };
  }
  throw new SourceError('answer_too_large', `${action}: one block holds too many rows`, { transient: false });
};

/** A service that ignores window or order would hide what it leaves out. */
const refuseForeign = (
  action: string,
  rows: readonly ListedTransaction[],
  { first, last, order }: Ordered,
): void => {
  const isOrdered = rows.every(({ block }, at) => {
    const before = rows[at - 1]?.block ?? block;
    return order === 'oldest' ? before <= block : before >= block;
  });
  if (isOrdered && rows.every(({ block }) => first <= block && block <= last)) return;
  throw new SourceError('inconsistent', `${action}: rows outside of the window or out of order`, {
    transient: false,
  });
};
