import type { FlowPage, RowPosition, TransactionPosition } from '../../model/transfer-reader.ts';
import type { Cut } from '../trail.ts';
import { createPayments } from './create-payments.ts';
import { findPassages } from './find-passages.ts';
import { joinRows } from './join-rows.ts';
import type { Outgoing } from './outgoing.ts';
import type { PageSizes, ReadPage } from './page-sizes.ts';
import { closeTransactions, readHead } from './read-head.ts';
import { readReceipts } from './read-receipts.ts';
import {
  createOutgoingTaker,
  mayLogFalsely,
  type OutgoingTaker,
  type TakeContext,
  takeAll,
} from './take-outgoing.ts';
import { createWithoutReturned, type Returned } from './without-returned.ts';

export type Gathered = {
  readonly outgoing: readonly Outgoing[];
  /** Where reading stopped early; mostly none. */
  readonly cuts: readonly Cut[];
};

export type Reading = {
  /** Where the start of a trail begins; a later wallet begins where the money arrived. */
  readonly start: RowPosition;
  readonly sizes: PageSizes;
  readonly returned: Returned;
  /** Where it was read before; else null. */
  readonly firstPage: FlowPage | null;
  /** What left the wallet, in the trail's order. */
  readonly readPage: ReadPage;
  /** What came into it, against the trail's order. */
  readonly readCounterPage: ReadPage;
};

/** Reads page after page of what left a wallet, until all that arrived has left, nothing is left to read, or the limit. */
export const gatherOutgoing = async (context: TakeContext, reading: Reading): Promise<Gathered> => {
  const { sizes, readPage } = reading;
  const start = context.arrivals?.[0];
  const from = start === undefined ? reading.start : startOf(start);
  const firstPage = reading.firstPage ?? (await readPage(from, Math.min(sizes.firstRows, sizes.maxRows)));
  const toPayments = createPayments(context, reading.returned);
  const head = await readHead(context, { sizes, readPage, firstPage, toPayments });
  const { taker, isDone: isDoneAtHead, cuts } = await takeHead(context, reading, head.payments);
  let { page, rowsRead } = head;
  let { closed, open } = closeTransactions({ ...page, rows: head.rest });
  let isDone = isDoneAtHead || takeAll(taker, toPayments(closed));
  while (!isDone && page.next !== null) {
    if (rowsRead >= sizes.maxRows) {
      takeAll(taker, toPayments(open));
      return { outgoing: taker.outgoing, cuts: [...cuts, { wallet: context.wallet, rows: rowsRead }] };
    }
    page = await readPage(page.next, Math.min(sizes.nextRows, sizes.maxRows - rowsRead));
    ({ closed, open } = closeTransactions(page, open));
    isDone = takeAll(taker, toPayments(closed));
    rowsRead += page.rows.length;
  }
  return { outgoing: taker.outgoing, cuts };
};

export const startOf = ({ blockTime, blockNumber, txIndex }: TransactionPosition): RowPosition => ({
  blockTime,
  blockNumber,
  txIndex,
  step: 0,
});

type Taken = { readonly taker: OutgoingTaker; readonly isDone: boolean } & Pick<Gathered, 'cuts'>;

/** What else came into the wallet is read only where what left is not just what arrived: it costs a query. */
const takeHead = async (
  context: TakeContext,
  { sizes, returned, readCounterPage }: Reading,
  payments: readonly Outgoing[],
): Promise<Taken> => {
  const plain = createOutgoingTaker(context);
  const taken: Taken = { taker: plain, isDone: takeAll(plain, payments), cuts: [] };
  const { wallet, arrivals, chain, family, backward } = context;
  const last = payments.at(-1);
  if (arrivals === null || last === undefined || plain.isClear()) return taken;
  // Anybody could make such a token say that somebody else had paid it in.
  if (mayLogFalsely(chain, family)) return taken;
  const asked = { sizes, readPage: readCounterPage, arrivals, backward };
  const { rows, cutAfterRows } = await readReceipts(startOf(last), asked);
  const strangers = createWithoutReturned(returned, { wallet, onward: false })(joinRows(rows));
  const passages = findPassages({ payments, strangers, arrivals }, backward);
  const taker = createOutgoingTaker(context, passages);
  const cuts = cutAfterRows === null ? [] : [{ wallet, rows: cutAfterRows, side: 'receipts' as const }];
  return { taker, isDone: takeAll(taker, payments), cuts };
};
