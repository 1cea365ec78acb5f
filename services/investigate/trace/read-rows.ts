import type { CanonicalAsset } from '../model/asset.ts';
import { type TransactionPosition, type TransactionRow, transactionKey } from '../model/transfer-reader.ts';
import { askInChunks, type QueryContext } from './query-context.ts';

/** Transactions in one query; they are small. */
const ROWS_PER_QUESTION = 20_000;

/** `complete` is false when there may be more. */
export type RowsRead = { readonly rows: readonly TransactionRow[]; readonly complete: boolean };

/** The rows of some assets in these transactions, each once. */
export const readRows = async (
  positions: readonly TransactionPosition[],
  canonicalAssets: readonly CanonicalAsset[],
  { reader, onChain }: QueryContext,
): Promise<RowsRead> => {
  const places = [...new Map(positions.map((position) => [transactionKey(position), position])).values()];
  let complete = true;
  const rows = await askInChunks(places, async (chunk) => {
    const asked = { ...onChain, positions: chunk, canonicalAssets, limit: ROWS_PER_QUESTION };
    const read = await reader.transactionRows(asked);
    complete &&= read.length < ROWS_PER_QUESTION;
    return read;
  });
  return { rows, complete };
};
