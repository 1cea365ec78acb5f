import type { DeparturePage, RowPosition } from '../model/transfer-reader.ts';
import type { Outgoing } from './outgoing.ts';
import { FIRST_PAGE_ROWS, NEXT_PAGE_ROWS, ROWS_PER_WALLET_MAX } from './rules.ts';
import { createOutgoingTaker, type TakeContext } from './take-outgoing.ts';

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

type Reading = {
  readonly sinceUnixSeconds: number;
  readonly sizes: PageSizes;
  readonly readPage: (from: RowPosition, limit: number) => Promise<DeparturePage>;
};

/** Reads page after page of what left a wallet, until all that arrived has left, nothing is left to read, or the limit. */
export const gatherOutgoing = async (context: TakeContext, reading: Reading): Promise<Gathered> => {
  const { sizes, readPage } = reading;
  const taker = createOutgoingTaker(context);
  let from: RowPosition | null = startPosition(context, reading.sinceUnixSeconds);
  let rowsRead = 0;
  let limit = sizes.firstRows;
  while (from !== null) {
    if (rowsRead >= sizes.maxRows) return { outgoing: taker.outgoing, cutAfterRows: rowsRead };
    const page: DeparturePage = await readPage(from, Math.min(limit, sizes.maxRows - rowsRead));
    for (const departure of page.rows) {
      if (taker.take(departure)) return { outgoing: taker.outgoing, cutAfterRows: null };
    }
    rowsRead += page.rows.length;
    from = page.next;
    limit = sizes.nextRows;
  }
  return { outgoing: taker.outgoing, cutAfterRows: null };
};

const startPosition = ({ arrivals }: TakeContext, sinceUnixSeconds: number): RowPosition => {
  const first = arrivals?.[0];
  if (first === undefined) return { blockTime: sinceUnixSeconds, blockNumber: 0, txIndex: 0, step: 0 };
  const { blockTime, blockNumber, txIndex } = first;
  return { blockTime, blockNumber, txIndex, step: 0 };
};
