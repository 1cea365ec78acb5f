import { sumOf } from '../../model/amount.ts';
import {
  compareTransactions,
  type Flow,
  type FlowPage,
  type RowPosition,
} from '../../model/transfer-reader.ts';
import type { Direction } from '../direction.ts';
import { FIRST_PAGE_ROWS, NEXT_PAGE_ROWS, ROWS_PER_WALLET_MAX } from '../rules.ts';
import {
  type Allocation,
  allocateAll,
  createFifoAllocator,
  type FifoAllocator,
} from './allocate-outflows.ts';
import type { ToPayments } from './create-payments.ts';
import { type Inflow, isDust, type Outflow } from './inflow.ts';

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

export type Head = {
  readonly payments: readonly Outflow[];
  /** What of them counts by the order of time alone. */
  readonly plain: FifoAllocator;
  /** The last that was read, and those of its rows that are in no payment yet. */
  readonly page: FlowPage;
  readonly rest: readonly Flow[];
  readonly rowsRead: number;
};

type HeadReading = {
  readonly sizes: PageSizes;
  readonly firstPage: FlowPage;
  readonly readPage: ReadPage;
  readonly toPayments: ToPayments;
};

/**
 * Payments among which it is told whose money they are: of one page, without counting crumbs, which an owner can pay himself for
 * next to nothing, and of all the last transaction of it; fewer where what arrived has left before that.
 */
export const readHead = async (
  allocation: Allocation,
  { sizes, firstPage, readPage, toPayments }: HeadReading,
): Promise<Head> => {
  const arrivedRaw = sumOf(allocation.stake.lots);
  const isCounted = (row: Flow): boolean => !isDust(row, arrivedRaw);
  const plain = createFifoAllocator(allocation);
  let payments: readonly Outflow[] = [];
  let page = firstPage;
  let rest: readonly Flow[] = [];
  let rowsRead = page.rows.length;
  let wanted = sizes.firstRows;
  for (;;) {
    const { closed, open } = closeTransactions(page, rest);
    const head = closed.slice(
      0,
      endOfHead(closed, closed.filter(isCounted)[wanted - 1], allocation.direction),
    );
    const paid = toPayments(head);
    payments = [...payments, ...paid];
    rest = [...closed.slice(head.length), ...open];
    wanted -= head.filter(isCounted).length;
    allocateAll(plain, paid);
    const isDone = wanted <= 0 || plain.isOver() || rowsRead >= sizes.maxRows;
    if (isDone || page.next === null) return { payments, plain, page, rest, rowsRead };
    page = await readPage(page.next, Math.min(sizes.nextRows, sizes.maxRows - rowsRead));
    rowsRead += page.rows.length;
  }
};

/** Behind the transaction of the last row; behind all where there is no such row. */
const endOfHead = (rows: readonly Flow[], last: Flow | undefined, direction: Direction): number => {
  const compare = direction.compare;
  const end = last === undefined ? -1 : rows.findIndex((row) => compare(row, last) > 0);
  return end === -1 ? rows.length : end;
};

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

export type Receipts = {
  readonly rows: readonly Flow[];
  /** How many were read where others came since the money arrived, or crumbs left no room for them; else null. */
  readonly cutAfterRows: number | null;
};

type ReceiptsReading = {
  readonly sizes: PageSizes;
  readonly readPage: ReadPage;
  /** The followed money, in the trail's order. */
  readonly arrivals: readonly Inflow[];
  readonly direction: Direction;
};

/**
 * What came into a wallet, from a position against the trail's order: one page. Only where crumbs fill most of it, which anybody
 * can send for next to nothing, it is read on until a page of other receipts has come.
 */
export const readReceipts = async (
  from: RowPosition,
  { sizes, readPage, arrivals, direction }: ReceiptsReading,
): Promise<Receipts> => {
  const arrivedRaw = sumOf(arrivals);
  const isCounted = (row: Flow): boolean => !isDust(row, arrivedRaw);
  const wanted = sizes.firstRows;
  let page: FlowPage = await readPage(from, wanted);
  const rows = [...page.rows];
  let rowsRead = rows.length;
  let others = rows.filter(isCounted).length;
  const isFilled = others * 2 < wanted;
  while (isFilled && page.next !== null && others < wanted && rowsRead < sizes.maxRows) {
    page = await readPage(page.next, Math.min(sizes.nextRows, sizes.maxRows - rowsRead));
    rowsRead += page.rows.length;
    const more = page.rows.filter(isCounted).slice(0, wanted - others);
    rows.push(...more);
    others += more.length;
  }
  const [first] = arrivals;
  const last = rows.at(-1);
  const hasCome = first !== undefined && last !== undefined && direction.compare(last, first) > 0;
  const isCut = page.next !== null && (hasCome || (isFilled && others < wanted));
  return { rows, cutAfterRows: isCut ? rowsRead : null };
};
