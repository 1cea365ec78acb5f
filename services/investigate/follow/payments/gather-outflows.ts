import { sumOf } from '../../model/amount.ts';
import { isUnverifiedToken } from '../../model/asset.ts';
import type {
  Flow,
  FlowPage,
  FlowsRequest,
  RowPosition,
  TransactionPosition,
} from '../../model/transfer-reader.ts';
import { attributeOutflows } from '../attribution/attribute-outflows.ts';
import type { Direction, FlowSide } from '../direction.ts';
import { startPosition } from '../find-asset.ts';
import type { FollowContext, FollowedWallet } from '../follow-context.ts';
import { createWithoutRefunds } from '../inner/refunds.ts';
import type { TruncatedRead } from '../why.ts';
import {
  type Allocation,
  allocateAll,
  createFifoAllocator,
  type FifoAllocator,
} from './allocate-outflows.ts';
import { createPayments, joinRows, type ToPayments } from './create-payments.ts';
import { chanceOf, isDust, type Outflow } from './inflow.ts';
import { readFlows } from './read-flows.ts';
import { closeTransactions, type PageSizes, type ReadPage } from './read-pages.ts';

export type Gathered = {
  readonly outflows: readonly Outflow[];
  /** Where reading stopped early; mostly none. */
  readonly cuts: readonly TruncatedRead[];
};

/** The same, with what did not count. */
export type GatheredAll = Gathered & Pick<FifoAllocator, 'besides'> & { readonly firstPage: FlowPage };

/** What is asked of a wallet. */
export const toAllocation = (
  { request: { chain }, direction, asset: { canonicalAsset } }: FollowContext,
  current: FollowedWallet,
): Allocation => ({ chain, ...current, canonicalAsset, direction });

export const pageOf =
  (
    context: FollowContext,
    { wallet }: FollowedWallet,
    { side, ...chosen }: { readonly side: FlowSide } & Pick<FlowsRequest, 'transfersOnly' | 'aheadRaw'>,
  ): ReadPage =>
  (from, limit) =>
    readFlows(context, side, { wallet, from, limit, ...chosen });

/**
 * Reads page after page of what left a wallet, until all that arrived has left, nothing is left to read, or the limit. The first page
 * is given where it was read before.
 */
export const gatherOutflows = async (
  context: FollowContext,
  current: FollowedWallet,
  readBefore: FlowPage | null,
): Promise<GatheredAll> => {
  const { request, direction, pages: sizes, refunds } = context;
  const allocation = toAllocation(context, current);
  const readPage = pageOf(context, current, { side: direction.onward, transfersOnly: false });
  const [start] = current.stake.lots;
  // A later wallet begins where the money arrived.
  const from = start === undefined ? startPosition(request) : startOf(start);
  const firstPage = readBefore ?? (await readPage(from, Math.min(sizes.firstRows, sizes.maxRows)));
  const toPayments = createPayments(allocation, refunds);
  const head = await readHead(allocation, { sizes, readPage, firstPage, toPayments });
  const { allocator, cuts } = await takeHead(context, allocation, head);
  let { page, rowsRead } = head;
  let { closed, open } = closeTransactions({ ...page, rows: head.rest });
  allocateAll(allocator, toPayments(closed));
  while (!allocator.isOver() && page.next !== null) {
    if (rowsRead >= sizes.maxRows) {
      allocateAll(allocator, toPayments(open));
      const cut = { wallet: allocation.wallet, rows: rowsRead };
      return { ...toldBy(allocator, head), firstPage, cuts: [...cuts, cut] };
    }
    page = await readPage(page.next, Math.min(sizes.nextRows, sizes.maxRows - rowsRead));
    ({ closed, open } = closeTransactions(page, open));
    allocateAll(allocator, toPayments(closed));
    rowsRead += page.rows.length;
  }
  return { ...toldBy(allocator, head), firstPage, cuts };
};

type Head = {
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
 * Payments among which it is told whose money they are: of one page, without counting dust, which an owner can pay himself for
 * next to nothing, and of all the last transaction of it; fewer where what arrived has left before that.
 */
const readHead = async (
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

/** Whose money else left is not known where nobody else's receipts were read. */
const toldBy = ({ outflows, besides }: FifoAllocator, { plain }: Head) => ({
  outflows,
  besides: outflows === plain.outflows ? [] : besides,
});

export const startOf = ({ blockTime, blockNumber, txIndex }: TransactionPosition): RowPosition => ({
  blockTime,
  blockNumber,
  txIndex,
  step: 0,
});

type Taken = { readonly allocator: FifoAllocator } & Pick<Gathered, 'cuts'>;

/** What else came into the wallet is read only where what left is not just what arrived: it costs a query. */
const takeHead = async (
  context: FollowContext,
  allocation: Allocation,
  { payments, plain }: Head,
): Promise<Taken> => {
  const { wallet, stake, chain, canonicalAsset, direction } = allocation;
  const last = payments.at(-1);
  // Anybody could make a token that logs falsely say that somebody else had paid it in.
  if (
    stake.told === 'nobody' ||
    last === undefined ||
    isUnverifiedToken(chain, canonicalAsset) ||
    (plain.isClear() && stake.lots.every((lot) => chanceOf(lot) === 1))
  )
    return { allocator: plain, cuts: [] };
  const { rows, cutAfterRows } = await readReceipts(context, { wallet, stake }, last);
  const strangers = createWithoutRefunds(context.refunds, { wallet, onward: false })(joinRows(rows));
  const allocator = createFifoAllocator(
    allocation,
    attributeOutflows({ payments, strangers, stake }, direction),
  );
  allocateAll(allocator, payments);
  return { allocator, cuts: cutAfterRows === null ? [] : [{ wallet, rows: cutAfterRows, side: 'receipts' }] };
};

type Receipts = {
  readonly rows: readonly Flow[];
  /** How many were read where others came since the money arrived, or dust left no room for them; else null. */
  readonly cutAfterRows: number | null;
};

/**
 * What came into a wallet, from a position against the trail's order: one page. Only where dust fills most of it, which anybody
 * can send for next to nothing, it is read on until a page of other receipts has come.
 */
const readReceipts = async (
  context: FollowContext,
  current: FollowedWallet,
  until: Outflow,
): Promise<Receipts> => {
  const { pages: sizes, direction } = context;
  // Only transfers bring money that a payment may pass on.
  const readPage = pageOf(context, current, { side: direction.counter, transfersOnly: true });
  const arrivals = current.stake.lots;
  const arrivedRaw = sumOf(arrivals);
  const isCounted = (row: Flow): boolean => !isDust(row, arrivedRaw);
  const wanted = sizes.firstRows;
  let page: FlowPage = await readPage(startOf(until), wanted);
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
