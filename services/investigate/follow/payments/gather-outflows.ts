import { isUnverifiedToken } from '../../model/asset.ts';
import type {
  FlowPage,
  FlowsRequest,
  RowPosition,
  TransactionPosition,
} from '../../model/transfer-reader.ts';
import { attributeOutflows } from '../attribution/attribute-outflows.ts';
import type { FlowSide } from '../direction.ts';
import { startPosition } from '../find-asset.ts';
import type { FollowContext, Stand } from '../follow-context.ts';
import { createWithoutRefunds } from '../inner/refunds.ts';
import type { TruncatedRead } from '../why.ts';
import {
  type Allocation,
  allocateAll,
  createFifoAllocator,
  type FifoAllocator,
} from './allocate-outflows.ts';
import { createPayments, joinRows } from './create-payments.ts';
import { chanceOf, type Outflow } from './inflow.ts';
import { readFlows } from './read-flows.ts';
import { closeTransactions, type Head, type ReadPage, readHead, readReceipts } from './read-pages.ts';

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
  stand: Stand,
): Allocation => ({ chain, ...stand, canonicalAsset, direction });

export const pageOf =
  (
    context: FollowContext,
    { wallet }: Stand,
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
  stand: Stand,
  readBefore: FlowPage | null,
): Promise<GatheredAll> => {
  const { request, direction, pages: sizes, refunds } = context;
  const allocation = toAllocation(context, stand);
  const readPage = pageOf(context, stand, { side: direction.onward, transfersOnly: false });
  const [start] = stand.stake.lots;
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
  // Only transfers bring money that a payment may pass on.
  const readPage = pageOf(context, { wallet, stake }, { side: direction.counter, transfersOnly: true });
  const asked = { sizes: context.pages, readPage, arrivals: stake.lots, direction };
  const { rows, cutAfterRows } = await readReceipts(startOf(last), asked);
  const strangers = createWithoutRefunds(context.refunds, { wallet, onward: false })(joinRows(rows));
  const allocator = createFifoAllocator(
    allocation,
    attributeOutflows({ payments, strangers, stake }, direction),
  );
  allocateAll(allocator, payments);
  return { allocator, cuts: cutAfterRows === null ? [] : [{ wallet, rows: cutAfterRows, side: 'receipts' }] };
};
