import { isUnverifiedToken } from '../../model/asset.ts';
import type { FlowPage, RowPosition, TransactionPosition } from '../../model/transfer-reader.ts';
import { attributeOutflows } from '../attribution/attribute-outflows.ts';
import { createWithoutRefunds, type Refunds } from '../inner/refunds.ts';
import type { TruncatedRead } from '../why.ts';
import {
  type Allocation,
  allocateAll,
  createFifoAllocator,
  type FifoAllocator,
} from './allocate-outflows.ts';
import { createPayments, joinRows } from './create-payments.ts';
import { chanceOf, type Outflow } from './inflow.ts';
import {
  closeTransactions,
  type Head,
  type PageSizes,
  type ReadPage,
  readHead,
  readReceipts,
} from './read-pages.ts';

export type Gathered = {
  readonly outflows: readonly Outflow[];
  /** Where reading stopped early; mostly none. */
  readonly cuts: readonly TruncatedRead[];
};

/** The same, with what did not count. */
export type GatheredAll = Gathered & Pick<FifoAllocator, 'besides'> & { readonly firstPage: FlowPage };

export type Reading = {
  /** Where the start of a trail begins; a later wallet begins where the money arrived. */
  readonly start: RowPosition;
  readonly sizes: PageSizes;
  readonly refunds: Refunds;
  /** Where it was read before; else null. */
  readonly firstPage: FlowPage | null;
  /** What left the wallet, in the trail's order. */
  readonly readPage: ReadPage;
  /** What came into it, against the trail's order. */
  readonly readCounterPage: ReadPage;
};

/** Reads page after page of what left a wallet, until all that arrived has left, nothing is left to read, or the limit. */
export const gatherOutflows = async (allocation: Allocation, reading: Reading): Promise<GatheredAll> => {
  const { sizes, readPage } = reading;
  const [start] = allocation.stake.lots;
  const from = start === undefined ? reading.start : startOf(start);
  const firstPage = reading.firstPage ?? (await readPage(from, Math.min(sizes.firstRows, sizes.maxRows)));
  const toPayments = createPayments(allocation, reading.refunds);
  const head = await readHead(allocation, { sizes, readPage, firstPage, toPayments });
  const { allocator, cuts } = await takeHead(allocation, reading, head);
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
  allocation: Allocation,
  { sizes, refunds, readCounterPage }: Reading,
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
  const asked = { sizes, readPage: readCounterPage, arrivals: stake.lots, direction };
  const { rows, cutAfterRows } = await readReceipts(startOf(last), asked);
  const strangers = createWithoutRefunds(refunds, { wallet, onward: false })(joinRows(rows));
  const allocator = createFifoAllocator(
    allocation,
    attributeOutflows({ payments, strangers, stake }, direction),
  );
  allocateAll(allocator, payments);
  return { allocator, cuts: cutAfterRows === null ? [] : [{ wallet, rows: cutAfterRows, side: 'receipts' }] };
};
