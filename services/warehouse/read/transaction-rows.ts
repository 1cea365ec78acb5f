import type {
  ReadLimits,
  TransactionPosition,
  TransactionRow,
} from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED } from '../clauses/hand-over-clause.ts';
import { VISIBLE_ROWS } from '../clauses/visible-rows.ts';
import { askTables } from './ask-tables.ts';

const rowsAt = (places: string): string => `
SELECT toUnixTimestamp(block_time), block_number, tx_index, from_address, to_address, asset_family, amount, tx_hash
FROM transfers
WHERE chain = {chain:String} AND (block_number, tx_index) IN ${places}
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND from_address != '' AND to_address != '' AND to_address != from_address
  AND ${VISIBLE_ROWS}
ORDER BY block_number, tx_index, index
LIMIT {limit:UInt32}`;

const QUERY = rowsAt('arrayZip({blocks:Array(UInt64)}, {transactions:Array(Int32)})');

/** A place in `transactions` is one of its hash's hash: only the hash itself says which transaction it is. */
const PLACES_OF_HASH = `
(
  SELECT block_number, tx_index FROM transactions
  WHERE hash_key = cityHash64({signature:String}) AND chain = {chain:String} AND ${VISIBLE_ROWS}
) AND tx_hash = {signature:String}`;

const ONE_QUERY = rowsAt(PLACES_OF_HASH);

const HASH_QUERY = `
SELECT block_number, tx_index
FROM transfers
WHERE chain = {chain:String} AND (block_number, tx_index) IN ${PLACES_OF_HASH} AND ${VISIBLE_ROWS}
LIMIT 1`;

type Row = readonly [
  time: number,
  block: string,
  tx: number,
  from: string,
  to: string,
  family: string,
  amount: string,
  hash: string,
];
type Place = readonly [block: string, tx: number];
type RowsRequest = ReadLimits & { readonly chain: string; readonly limit: number };

/** One query, a short range of the key for each position. */
export const readTransactionRows = async (
  client: WarehouseClient,
  {
    chain,
    positions,
    limit,
    ...limits
  }: RowsRequest & { readonly positions: readonly TransactionPosition[] },
): Promise<readonly TransactionRow[]> => {
  if (positions.length === 0) return [];
  const blocks = positions.map(({ blockNumber }) => blockNumber);
  const transactions = positions.map(({ txIndex }) => txIndex);
  const params = { chain, blocks, transactions, limit };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return rows.map(toRow);
};

const toRow = ([blockTime, block, txIndex, from, to, family, amount, hash]: Row): TransactionRow => ({
  hash,
  blockTime,
  blockNumber: Number(block),
  txIndex,
  from,
  to,
  family,
  amountRaw: BigInt(amount),
});

/** One query, and one more where it has no such rows. null where no table holds it. */
export const readTransaction = async (
  client: WarehouseClient,
  { chain, limit, signature, ...limits }: RowsRequest & { readonly signature: string },
): Promise<readonly TransactionRow[] | null> => {
  const params = { chain, signature, limit };
  const rows = await askTables<Row>(client, { query: ONE_QUERY, params }, limits);
  if (rows.length > 0) return rows.map(toRow);
  const [place] = await askTables<Place>(client, { query: HASH_QUERY, params }, limits);
  return place === undefined ? null : [];
};
