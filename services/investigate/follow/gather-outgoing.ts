import {
  compareTransactions,
  type Flow,
  type FlowPage,
  type RowPosition,
  type TransactionPosition,
} from '../model/transfer-reader.ts';
import { createPayments } from './create-payments.ts';
import { findPassages } from './find-passages.ts';
import { compareOnTrail, type Outgoing } from './outgoing.ts';
import {
  CLEAR_PAYMENTS_MAX,
  FIRST_PAGE_ROWS,
  NEXT_PAGE_ROWS,
  PARTS,
  PASSAGE_FEE_MAX_PARTS,
  ROWS_PER_WALLET_MAX,
} from './rules.ts';
import { createOutgoingTaker, mayLogFalsely, type OutgoingTaker, type TakeContext } from './take-outgoing.ts';
import { createWithoutReturned, type Returned } from './without-returned.ts';

export type PageSizes = {
  readonly firstRows: number;
  readonly nextRows: number;
  readonly maxRows: number;
};

export const PAGE_SIZES: PageSizes = {
  firstRows: FIRST_PAGE_ROWS,
  nextRows: NEXT_PAGE_ROWS,
  maxRows: ROWS_PER_WALLET_MAX,
};

export type Gathered = {
  readonly outgoing: readonly Outgoing[];
  /** How many rows were read when reading stopped early; null when nothing was left out. */
  readonly cutAfterRows: number | null;
};

type ReadPage = (from: RowPosition, limit: number) => Promise<FlowPage>;
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
  let page = reading.firstPage ?? (await readPage(from, Math.min(sizes.firstRows, sizes.maxRows)));
  const toPayments = createPayments(context, reading.returned);
  const first = await takeFirstPage(context, reading, toPayments(page.rows));
  const { taker } = first;
  let { isDone } = first;
  let rowsRead = page.rows.length;
  let open: readonly Flow[] = [];
  while (!isDone && page.next !== null) {
    if (rowsRead >= sizes.maxRows) {
      takeAll(taker, toPayments(open));
      return { outgoing: taker.outgoing, cutAfterRows: rowsRead };
    }
    page = await readPage(page.next, Math.min(sizes.nextRows, sizes.maxRows - rowsRead));
    const rows = [...open, ...page.rows];
    // A page may end inside a transaction, of which the larger payments come first.
    const closed = page.next === null ? rows : rows.slice(0, beginOfLast(rows));
    open = rows.slice(closed.length);
    isDone = takeAll(taker, toPayments(closed));
    rowsRead += page.rows.length;
  }
  return { outgoing: taker.outgoing, cutAfterRows: null };
};

/** Where the rows of the last transaction begin. */
const beginOfLast = (rows: readonly Flow[]): number => {
  const last = rows.at(-1);
  return last === undefined ? 0 : rows.findIndex((row) => compareTransactions(row, last) === 0);
};

export const startOf = ({ blockTime, blockNumber, txIndex }: TransactionPosition): RowPosition => ({
  blockTime,
  blockNumber,
  txIndex,
  step: 0,
});

export const takeAll = (taker: OutgoingTaker, payments: readonly Outgoing[]): boolean =>
  payments.some((payment) => taker.take(payment));

type Taken = { readonly taker: OutgoingTaker; readonly isDone: boolean };

/** What else came into the wallet is read only where what left is not just what arrived: it costs a query. */
const takeFirstPage = async (
  context: TakeContext,
  { sizes, returned, readCounterPage }: Reading,
  payments: readonly Outgoing[],
): Promise<Taken> => {
  const plain = createOutgoingTaker(context);
  const taken: Taken = { taker: plain, isDone: takeAll(plain, payments) };
  const { wallet, arrivals, chain, family, backward } = context;
  const last = payments.at(-1);
  if (arrivals === null || last === undefined || isClear(plain.outgoing, arrivals)) return taken;
  // Anybody could make such a token say that somebody else had paid it in.
  if (mayLogFalsely(chain, family)) return taken;
  const { rows } = await readCounterPage(startOf(last), sizes.firstRows);
  const strangers = createWithoutReturned(returned, { wallet, onward: false })(rows);
  const passages = findPassages({ payments, strangers, arrivals }, compareOnTrail(backward));
  const taker = createOutgoingTaker(context, passages);
  return { taker, isDone: takeAll(taker, payments) };
};

const sumOf = (items: readonly { readonly amountRaw: bigint }[]): bigint =>
  items.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);

/** A few payments are just what arrived, or all but a fee of it; or nothing left. */
export const isClear = (
  outgoing: readonly Outgoing[],
  arrivals: readonly { readonly amountRaw: bigint }[],
): boolean => {
  const leftRaw = sumOf(outgoing);
  const arrivedRaw = sumOf(arrivals);
  return (
    leftRaw === 0n ||
    (outgoing.length <= CLEAR_PAYMENTS_MAX &&
      leftRaw <= arrivedRaw &&
      leftRaw * PARTS >= arrivedRaw * (PARTS - PASSAGE_FEE_MAX_PARTS))
  );
};
