import type { Flow, FlowPage, RowPosition } from '../../model/transfer-reader.ts';
import { isCrumb } from './is-crumb.ts';
import type { PageSizes, ReadPage } from './page-sizes.ts';

export type Receipts = {
  readonly rows: readonly Flow[];
  /** How many were read where crumbs left no room for others even so; else null. */
  readonly cutAfterRows: number | null;
};

type Reading = {
  readonly sizes: PageSizes;
  readonly readPage: ReadPage;
  /** Of the followed money. */
  readonly arrivedRaw: bigint;
};

/**
 * What came into a wallet, from a position against the trail's order: one page. Only where crumbs fill most of it, which anybody
 * can send for next to nothing, it is read on until a page of other receipts has come.
 */
export const readReceipts = async (
  from: RowPosition,
  { sizes, readPage, arrivedRaw }: Reading,
): Promise<Receipts> => {
  const isCounted = (row: Flow): boolean => !isCrumb(row, arrivedRaw);
  const wanted = sizes.firstRows;
  let page: FlowPage = await readPage(from, wanted);
  const rows = [...page.rows];
  let others = rows.filter(isCounted).length;
  if (others * 2 >= wanted) return { rows, cutAfterRows: null };
  let rowsRead = rows.length;
  while (page.next !== null && others < wanted) {
    if (rowsRead >= sizes.maxRows) return { rows, cutAfterRows: rowsRead };
    page = await readPage(page.next, Math.min(sizes.nextRows, sizes.maxRows - rowsRead));
    rowsRead += page.rows.length;
    const more = page.rows.filter(isCounted).slice(0, wanted - others);
    rows.push(...more);
    others += more.length;
  }
  return { rows, cutAfterRows: null };
};
