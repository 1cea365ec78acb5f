import { sumOf } from '../../model/amount.ts';
import { isUnverifiedToken } from '../../model/asset.ts';
import { giveWay } from '../../model/give-way.ts';
import type { Flow, FlowPage, RowPosition, TransactionPosition } from '../../model/transfer-reader.ts';
import { attributeOutflows } from '../attribution/attribute-outflows.ts';
import { startPosition } from '../find-asset.ts';
import type { FollowContext, FollowedWallet } from '../follow-context.ts';
import { createWithoutRefunds } from '../inner/refunds.ts';
import type { FollowRequest } from '../trail.ts';
import type { TruncatedRead } from '../why.ts';
import {
  type Allocation,
  allocateAll,
  createFifoAllocator,
  type FifoAllocator,
} from './allocate-outflows.ts';
import { createPayments, joinRows, type ToPayments } from './create-payments.ts';
import { chanceOf, isDust, type Outflow } from './inflow.ts';
import { closeTransactions, openPages, type Pages } from './read-pages.ts';

export type Gathered = {
  readonly outflows: readonly Outflow[];
  /** Where reading stopped early; mostly none. */
  readonly cuts: readonly TruncatedRead[];
};

/** The same, with what did not count. */
export type GatheredAll = Gathered & Pick<FifoAllocator, 'notCounted'> & { readonly firstPage: FlowPage };

export const toAllocation = (
  { request: { chain }, direction, asset: { canonicalAsset } }: FollowContext,
  current: FollowedWallet,
): Allocation => ({ chain, ...current, canonicalAsset, direction });

/** Reads page after page of what left a wallet, until all that arrived has left, nothing is left to read, or the limit. */
export const gatherOutflows = async (
  context: FollowContext,
  current: FollowedWallet,
  readBefore: FlowPage | null,
): Promise<GatheredAll> => {
  const { wallet } = current;
  const allocation = toAllocation(context, current);
  const from = beginOf(context.request, current);
  const pages = await openPages(context, context.direction.onward, { wallet, from }, readBefore);
  const firstPage = pages.page;
  const toPayments = createPayments(allocation, context.refunds);
  const head = await readHead(allocation, pages, toPayments, context.pages.firstRows);
  const { allocator, cuts } = await takeHead(context, allocation, head);
  let { closed, open } = closeTransactions({ ...pages.page, rows: head.rest });
  allocateAll(allocator, toPayments(closed));
  while (!allocator.isOver() && (await pages.readNext())) {
    await giveWay();
    ({ closed, open } = closeTransactions(pages.page, open));
    allocateAll(allocator, toPayments(closed));
  }
  const isCut = !allocator.isOver() && pages.page.next !== null;
  if (isCut) allocateAll(allocator, toPayments(open));
  return {
    firstPage,
    outflows: allocator.outflows,
    // Without others' receipts the owner of uncounted payments is unknown.
    notCounted: allocator === head.plain ? [] : allocator.notCounted,
    cuts: isCut ? [...cuts, { wallet, rows: pages.rowsRead }] : cuts,
  };
};

type Head = {
  readonly payments: readonly Outflow[];
  /** What counts by the order of time alone. */
  readonly plain: FifoAllocator;
  /** Rows that are not yet part of a payment. */
  readonly rest: readonly Flow[];
};

/**
 * Payments of which it is decided whose money they are: those of one page. Dust is not counted, which an owner can pay himself for
 * next to nothing, and the last transaction is read whole. There are fewer where what arrived has left before that.
 */
const readHead = async (
  allocation: Allocation,
  pages: Pages,
  toPayments: ToPayments,
  wantedRows: number,
): Promise<Head> => {
  const { compare } = allocation.direction;
  const arrivedRaw = sumOf(allocation.stake.lots);
  const isCounted = (row: Flow): boolean => !isDust(row, arrivedRaw);
  const plain = createFifoAllocator(allocation);
  let payments: readonly Outflow[] = [];
  let rest: readonly Flow[] = [];
  let wanted = wantedRows;
  for (;;) {
    const { closed, open } = closeTransactions(pages.page, rest);
    const last = closed.filter(isCounted)[wanted - 1];
    const head = last === undefined ? closed : closed.filter((row) => compare(row, last) <= 0);
    const paid = toPayments(head);
    payments = [...payments, ...paid];
    rest = [...closed.slice(head.length), ...open];
    wanted -= head.filter(isCounted).length;
    allocateAll(plain, paid);
    const isDone = wanted <= 0 || plain.isOver();
    if (isDone || !(await pages.readNext())) return { payments, plain, rest };
  }
};

export const startOf = ({ blockTime, blockNumber, txIndex }: TransactionPosition): RowPosition => ({
  blockTime,
  blockNumber,
  txIndex,
  step: 0,
});

/** Where the money arrived; at the start, where that is not known, the time asked about. */
export const beginOf = (request: FollowRequest, { stake: { lots } }: FollowedWallet): RowPosition =>
  lots[0] === undefined ? startPosition(request) : startOf(lots[0]);

/** Other receipts cost a query, so they are read only if what left does not equal what arrived. */
const takeHead = async (
  context: FollowContext,
  allocation: Allocation,
  { payments, plain }: Head,
): Promise<Pick<Gathered, 'cuts'> & { readonly allocator: FifoAllocator }> => {
  const { wallet, stake, chain, canonicalAsset, direction } = allocation;
  const last = payments.at(-1);
  // An unverified token could log false receipts.
  if (
    stake.source === 'unknown' ||
    last === undefined ||
    isUnverifiedToken(chain, canonicalAsset) ||
    (plain.isUnambiguous() && stake.lots.every((lot) => chanceOf(lot) === 1))
  )
    return { allocator: plain, cuts: [] };
  const { rows, cuts } = await readReceipts(context, { wallet, stake }, last);
  // Many wallets may have waited for the same read.
  await giveWay();
  const strangers = createWithoutRefunds(context.refunds, { wallet, onward: false })(joinRows(rows));
  const attribution = attributeOutflows({ payments, strangers, stake }, direction);
  const allocator = createFifoAllocator(allocation, attribution);
  allocateAll(allocator, payments);
  return { allocator, cuts };
};

/**
 * The wallet's receipts from a position back, against the trail's order: one page. Anybody can fill a page with dust for next to nothing, so
 * then more is read, until there is a page of other receipts. It counts as cut if receipts since the
 * money arrived are unread, or if dust left no room for others.
 */
const readReceipts = async (
  context: FollowContext,
  { wallet, stake: { lots } }: FollowedWallet,
  until: Outflow,
): Promise<Pick<Gathered, 'cuts'> & { readonly rows: readonly Flow[] }> => {
  const { direction } = context;
  const arrivedRaw = sumOf(lots);
  const isCounted = (row: Flow): boolean => !isDust(row, arrivedRaw);
  const wanted = context.pages.firstRows;
  // Only transfers bring money that a payment may pass on.
  const asked = { wallet, from: startOf(until), transfersOnly: true };
  const pages = await openPages(context, direction.counter, asked);
  const rows = [...pages.page.rows];
  let others = rows.filter(isCounted).length;
  const isFilled = others * 2 < wanted;
  while (isFilled && others < wanted && (await pages.readNext())) {
    const more = pages.page.rows.filter(isCounted).slice(0, wanted - others);
    rows.push(...more);
    others += more.length;
  }
  const [first] = lots;
  const last = rows.at(-1);
  const hasCome = first !== undefined && last !== undefined && direction.compare(last, first) > 0;
  const isCut = pages.page.next !== null && (hasCome || (isFilled && others < wanted));
  return { rows, cuts: isCut ? [{ wallet, rows: pages.rowsRead, side: 'receipts' }] : [] };
};
