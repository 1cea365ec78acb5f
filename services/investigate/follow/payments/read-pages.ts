import {
  compareTransactions,
  type Flow,
  type FlowPage,
  type RowPosition,
} from '../../model/transfer-reader.ts';
import { FIRST_PAGE_ROWS, NEXT_PAGE_ROWS, ROWS_PER_WALLET_MAX } from '../rules.ts';

export type PageSizes = {
  readonly firstRows: number;
  readonly nextRows: number;
  /** Of one side of a wallet, all pages together. */
  readonly maxRows: number;
};

export const PAGE_SIZES: PageSizes = {
  firstRows: FIRST_PAGE_ROWS,
  nextRows: NEXT_PAGE_ROWS,
  maxRows: ROWS_PER_WALLET_MAX,
};

/** One page of one side of a wallet. */
export type ReadPage = (from: RowPosition, limit: number) => Promise<FlowPage>;

type Closed = {
  /** Of transactions that were read whole. */
  readonly closed: readonly Flow[];
  readonly open: readonly Flow[];
};

/** A page may end inside a transaction, of which the larger payments come first. `before` is what the last page left open. */
export const closeTransactions = ({ rows, next }: FlowPage, before: readonly Flow[] = []): Closed => {
  const all = before.length === 0 ? rows : [...before, ...rows];
  const last = all.at(-1);
  if (next === null || last === undefined) return { closed: all, open: [] };
  const begin = all.findIndex((row) => compareTransactions(row, last) === 0);
  return { closed: all.slice(0, begin), open: all.slice(begin) };
};
