import type { FlowPage, RowPosition } from '../../model/transfer-reader.ts';
import { FIRST_PAGE_ROWS, NEXT_PAGE_ROWS, ROWS_PER_WALLET_MAX } from '../rules.ts';

export type PageSizes = {
  readonly firstRows: number;
  readonly nextRows: number;
  /** Of one side of a wallet, all pages together. */
  readonly maxRows: number;
};

export const PAGE_SIZES: PageSizes = {
  firstRows: FIRST_PAGE_ROWS,
  nextRows: NEXT_PAGE_ROWS,
  maxRows: ROWS_PER_WALLET_MAX,
};

/** One page of one side of a wallet. */
export type ReadPage = (from: RowPosition, limit: number) => Promise<FlowPage>;
