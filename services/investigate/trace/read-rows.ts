import type { CanonicalAsset } from '../model/asset.ts';
import {
  comparePlaces,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../model/transfer-reader.ts';
import type { QueryContext } from './query-context.ts';

/** Transactions in one query; they are small. */
const ROWS_PER_QUESTION = 20_000;

/** `complete` is false when there may be more. */
export type RowsRead = { readonly rows: readonly TransactionRow[]; readonly complete: boolean };

/** The rows of some assets in these transactions, each once, in chain order. */
export const readRows = async (
  positions: readonly TransactionPosition[],
  canonicalAssets: readonly CanonicalAsset[],
  { reads, onChain }: QueryContext,
): Promise<RowsRead> => {
  const places = [...new Map(positions.map((position) => [transactionKey(position), position])).values()];
  const asked = { ...onChain, canonicalAssets, limit: ROWS_PER_QUESTION };
  const read = await reads.transactionRows(asked, places.sort(comparePlaces));
  return { rows: read.flatMap((rows) => rows ?? []), complete: read.every((rows) => rows !== null) };
};
