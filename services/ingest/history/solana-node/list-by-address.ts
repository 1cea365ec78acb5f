import type { HistoryKind, Window } from '../../../investigate/model/history.ts';
import { malformed } from '../../nodes/decode-answer.ts';
import { SourceError } from '../../nodes/source-error.ts';
import type { HistoryPage, ListedTransaction, ListQuestion } from '../history-source.ts';
import type { AskJson } from './ask-node.ts';
import { readListed } from './list-signatures.ts';

const METHOD = 'getTransactionsForAddress';
const PAGE = 1_000;
/** Nobody ever signed for it, and its list is short or empty. */
const NOBODY = '11111111111111111111111111111112';
/** Token accounts are indexed from here on (December 2022). */
const TOKEN_ACCOUNTS_FROM = 111_500_000;

const optionsOf = (order: 'oldest' | 'newest', filters: object, limit = PAGE) => ({
  transactionDetails: 'signatures',
  sortOrder: order === 'oldest' ? 'asc' : 'desc',
  commitment: 'finalized',
  limit,
  filters,
});

/** Whether the endpoint has the method. Other failures are thrown. */
export const hasTransactionsForAddress = async (ask: AskJson, signal: AbortSignal): Promise<boolean> => {
  try {
    const answer = await ask(METHOD, [NOBODY, optionsOf('newest', { tokenAccounts: 'all' }, 1)], signal);
    return Array.isArray((answer as { data?: unknown } | null)?.data);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceError && !error.transient) return false;
    throw error;
  }
};

/** The wallet's transactions and its token accounts', closed ones too. Throws `SourceError`. */
export async function* listByAddress(
  ask: AskJson,
  { address, kinds, order, first, last }: ListQuestion,
  signal: AbortSignal,
): AsyncGenerator<HistoryPage> {
  const isOld = first < TOKEN_ACCOUNTS_FROM && kinds.includes('tokens_in');
  const lacks: Partial<Record<HistoryKind, string>> = isOld
    ? { tokens_in: 'token_accounts_before_december_2022' }
    : {};
  const covers = kinds.filter((kind) => lacks[kind] === undefined);
  const filters = { slot: { gte: first, lte: last }, tokenAccounts: 'all' };
  let window: Window = { first, last };
  for (let paginationToken: string | null = null; ; ) {
    const options = {
      ...optionsOf(order, filters),
      ...(paginationToken === null ? {} : { paginationToken }),
    };
    const { listed, next } = readPage(await ask(METHOD, [address, options], signal));
    if (listed.some(({ block }) => block < first || block > last))
      throw lies('lists slots that were not asked for');
    if (next !== null && (listed.length === 0 || next === paginationToken))
      throw lies('does not go on from page to page');
    paginationToken = next;
    const { done, rest } = next === null ? { done: window, rest: null } : splitAt(window, listed, order);
    yield { ...done, listed, covers, lacks };
    if (rest === null) return;
    window = rest;
  }
}

const lies = (what: string): SourceError =>
  new SourceError('inconsistent', `${METHOD} ${what}`, { transient: false });

/** The last slot of a page may go on in the next one, so it counts with that one. */
const splitAt = (
  { first, last }: Window,
  listed: readonly ListedTransaction[],
  order: 'oldest' | 'newest',
): { done: Window; rest: Window } => {
  const blocks = listed.map(({ block }) => block);
  const edge = order === 'oldest' ? Math.max(...blocks) : Math.min(...blocks);
  const [done, rest] =
    order === 'oldest'
      ? [
          { first, last: edge - 1 },
          { first: edge, last },
        ]
      : [
          { first: edge + 1, last },
          { first, last: edge },
        ];
  if (done.first > done.last)
    throw new SourceError('answer_too_large', 'one slot fills a page', { transient: false });
  return { done, rest };
};

const readPage = (answer: unknown): { listed: ListedTransaction[]; next: string | null } => {
  const { data, paginationToken } = (answer ?? {}) as { data?: unknown; paginationToken?: unknown };
  if (!Array.isArray(data)) throw malformed(`${METHOD} gave no list`);
  const listed = data.map((entry) => readListed(entry, METHOD));
  return { listed, next: typeof paginationToken === 'string' ? paginationToken : null };
};
