import { sumOf } from '../../model/amount.ts';
import type { Flow, FlowPage, RowPosition } from '../../model/transfer-reader.ts';
import { isCrumb } from './is-crumb.ts';
import { type Arrival, compareOnTrail } from './outgoing.ts';
import type { PageSizes, ReadPage } from './page-sizes.ts';

export type Receipts = {
  readonly rows: readonly Flow[];
  /** How many were read where others came since the money arrived, or crumbs left no room for them; else null. */
  readonly cutAfterRows: number | null;
};

type Reading = {
  readonly sizes: PageSizes;
  readonly readPage: ReadPage;
  /** The followed money, in the trail's order. */
  readonly arrivals: readonly Arrival[];
  readonly backward: boolean;
};

/**
 * What came into a wallet, from a position against the trail's order: one page. Only where crumbs fill most of it, which anybody
 * can send for next to nothing, it is read on until a page of other receipts has come.
 */
export const readReceipts = async (
  from: RowPosition,
  { sizes, readPage, arrivals, backward }: Reading,
): Promise<Receipts> => {
  const arrivedRaw = sumOf(arrivals);
  const isCounted = (row: Flow): boolean => !isCrumb(row, arrivedRaw);
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
  const hasCome = first !== undefined && last !== undefined && compareOnTrail(backward)(last, first) > 0;
  const isCut = page.next !== null && (hasCome || (isFilled && others < wanted));
  return { rows, cutAfterRows: isCut ? rowsRead : null };
};
