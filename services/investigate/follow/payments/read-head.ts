import { sumOf } from '../../model/amount.ts';
import { compareTransactions, type Flow, type FlowPage } from '../../model/transfer-reader.ts';
import type { ToPayments } from './create-payments.ts';
import { isCrumb } from './is-crumb.ts';
import { compareOnTrail, type Outgoing } from './outgoing.ts';
import type { PageSizes, ReadPage } from './page-sizes.ts';
import { createOutgoingTaker, type OutgoingTaker, type TakeContext, takeAll } from './take-outgoing.ts';

export type Head = {
  readonly payments: readonly Outgoing[];
  /** What of them counts by the order of time alone. */
  readonly plain: OutgoingTaker;
  /** The last that was read, and those of its rows that are in no payment yet. */
  readonly page: FlowPage;
  readonly rest: readonly Flow[];
  readonly rowsRead: number;
};

type Reading = {
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
  context: TakeContext,
  { sizes, firstPage, readPage, toPayments }: Reading,
): Promise<Head> => {
  const arrivedRaw = sumOf(context.stake.lots);
  const isCounted = (row: Flow): boolean => !isCrumb(row, arrivedRaw);
  const plain = createOutgoingTaker(context);
  let payments: readonly Outgoing[] = [];
  let page = firstPage;
  let rest: readonly Flow[] = [];
  let rowsRead = page.rows.length;
  let wanted = sizes.firstRows;
  for (;;) {
    const { closed, open } = closeTransactions(page, rest);
    const head = closed.slice(0, endOfHead(closed, closed.filter(isCounted)[wanted - 1], context.backward));
    const paid = toPayments(head);
    payments = [...payments, ...paid];
    rest = [...closed.slice(head.length), ...open];
    wanted -= head.filter(isCounted).length;
    takeAll(plain, paid);
    const isDone = wanted <= 0 || plain.isOver() || rowsRead >= sizes.maxRows;
    if (isDone || page.next === null) return { payments, plain, page, rest, rowsRead };
    page = await readPage(page.next, Math.min(sizes.nextRows, sizes.maxRows - rowsRead));
    rowsRead += page.rows.length;
  }
};

/** Behind the transaction of the last row; behind all where there is no such row. */
const endOfHead = (rows: readonly Flow[], last: Flow | undefined, backward: boolean): number => {
  const compare = compareOnTrail(backward);
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
