import { compareTransactions, type Flow, type FlowPage } from '../../model/transfer-reader.ts';
import type { FlowsAsked } from '../../session/flow-pages.ts';
import type { FlowSide } from '../direction.ts';
import type { FollowContext } from '../follow-context.ts';
import { readFlows } from './read-flows.ts';

/** One side of a wallet, page after page. */
export type Pages = {
  /** The last page that was read. */
  page: FlowPage;
  /** On all pages so far. */
  rowsRead: number;
  /** false where there are no more rows, or the limit is reached. */
  readonly readNext: () => Promise<boolean>;
};

/** `readBefore` is the first page, where that was read already. */
export const openPages = async (
  context: FollowContext,
  side: FlowSide,
  asked: Pick<FlowsAsked, 'wallet' | 'from' | 'transfersOnly' | 'aheadRaw'>,
  readBefore: FlowPage | null = null,
): Promise<Pages> => {
  const { firstRows, nextRows, maxRows, isFull = () => false } = context.pages;
  const page =
    readBefore ?? (await readFlows(context, side, { ...asked, limit: Math.min(firstRows, maxRows) }));
  const readNext = async (): Promise<boolean> => {
    const { next: from } = pages.page;
    if (from === null || pages.rowsRead >= maxRows || isFull()) return false;
    const limit = Math.min(nextRows, maxRows - pages.rowsRead);
    pages.page = await readFlows(context, side, { ...asked, from, limit });
    pages.rowsRead += pages.page.rows.length;
    return true;
  };
  const pages: Pages = { page, rowsRead: page.rows.length, readNext };
  return pages;
};

type Closed = {
  /** Of transactions that were read whole. */
  readonly closed: readonly Flow[];
  readonly open: readonly Flow[];
};

/** A page may end inside a transaction. `before` holds the rows that the last page left open. */
export const closeTransactions = ({ rows, next }: FlowPage, before: readonly Flow[] = []): Closed => {
  const all = before.length === 0 ? rows : [...before, ...rows];
  const last = all.at(-1);
  if (next === null || last === undefined) return { closed: all, open: [] };
  const begin = all.findIndex((row) => compareTransactions(row, last) === 0);
  return { closed: all.slice(0, begin), open: all.slice(begin) };
};
