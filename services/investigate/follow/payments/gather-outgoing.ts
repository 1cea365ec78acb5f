import { isUnverifiedToken } from '../../model/asset.ts';
import type { FlowPage, RowPosition, TransactionPosition } from '../../model/transfer-reader.ts';
import { createWithoutRefunds, type Refunds } from '../inner/refunds.ts';
import type { Cut } from '../why.ts';
import { createPayments } from './create-payments.ts';
import { findPassages } from './find-passages.ts';
import { joinRows } from './join-rows.ts';
import { chanceOf, type Outgoing } from './outgoing.ts';
import type { PageSizes, ReadPage } from './page-sizes.ts';
import { closeTransactions, type Head, readHead } from './read-head.ts';
import { readReceipts } from './read-receipts.ts';
import { createOutgoingTaker, type OutgoingTaker, type TakeContext, takeAll } from './take-outgoing.ts';

export type Gathered = {
  readonly outgoing: readonly Outgoing[];
  /** Where reading stopped early; mostly none. */
  readonly cuts: readonly Cut[];
};

/** The same, with what did not count. */
export type GatheredAll = Gathered & Pick<OutgoingTaker, 'besides'> & { readonly firstPage: FlowPage };

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
export const gatherOutgoing = async (context: TakeContext, reading: Reading): Promise<GatheredAll> => {
  const { sizes, readPage } = reading;
  const [start] = context.stake.lots;
  const from = start === undefined ? reading.start : startOf(start);
  const firstPage = reading.firstPage ?? (await readPage(from, Math.min(sizes.firstRows, sizes.maxRows)));
  const toPayments = createPayments(context, reading.refunds);
  const head = await readHead(context, { sizes, readPage, firstPage, toPayments });
  const { taker, cuts } = await takeHead(context, reading, head);
  let { page, rowsRead } = head;
  let { closed, open } = closeTransactions({ ...page, rows: head.rest });
  takeAll(taker, toPayments(closed));
  while (!taker.isOver() && page.next !== null) {
    if (rowsRead >= sizes.maxRows) {
      takeAll(taker, toPayments(open));
      const cut = { wallet: context.wallet, rows: rowsRead };
      return { ...toldBy(taker, head), firstPage, cuts: [...cuts, cut] };
    }
    page = await readPage(page.next, Math.min(sizes.nextRows, sizes.maxRows - rowsRead));
    ({ closed, open } = closeTransactions(page, open));
    takeAll(taker, toPayments(closed));
    rowsRead += page.rows.length;
  }
  return { ...toldBy(taker, head), firstPage, cuts };
};

/** Whose money else left is not known where nobody else's receipts were read. */
const toldBy = ({ outgoing, besides }: OutgoingTaker, { plain }: Head) => ({
  outgoing,
  besides: outgoing === plain.outgoing ? [] : besides,
});

export const startOf = ({ blockTime, blockNumber, txIndex }: TransactionPosition): RowPosition => ({
  blockTime,
  blockNumber,
  txIndex,
  step: 0,
});

type Taken = { readonly taker: OutgoingTaker } & Pick<Gathered, 'cuts'>;

/** What else came into the wallet is read only where what left is not just what arrived: it costs a query. */
const takeHead = async (
  context: TakeContext,
  { sizes, refunds, readCounterPage }: Reading,
  { payments, plain }: Head,
): Promise<Taken> => {
  const { wallet, stake, chain, canonicalAsset, backward } = context;
  const last = payments.at(-1);
  // Anybody could make a token that logs falsely say that somebody else had paid it in.
  if (
    stake.told === 'nobody' ||
    last === undefined ||
    isUnverifiedToken(chain, canonicalAsset) ||
    (plain.isClear() && stake.lots.every((lot) => chanceOf(lot) === 1))
  )
    return { taker: plain, cuts: [] };
  const asked = { sizes, readPage: readCounterPage, arrivals: stake.lots, backward };
  const { rows, cutAfterRows } = await readReceipts(startOf(last), asked);
  const strangers = createWithoutRefunds(refunds, { wallet, onward: false })(joinRows(rows));
  const taker = createOutgoingTaker(context, findPassages({ payments, strangers, stake }, backward));
  takeAll(taker, payments);
  return { taker, cuts: cutAfterRows === null ? [] : [{ wallet, rows: cutAfterRows, side: 'receipts' }] };
};
