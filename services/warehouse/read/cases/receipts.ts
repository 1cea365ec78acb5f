import type { WalletTimeRequest } from '../../../investigate/model/case-reader.ts';
import type { TransactionPosition } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { handOvers, VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

/** One range of the key, read whole, because assets come before time in it. */
const positionsOf = (rows: string): string => `
SELECT toUnixTimestamp(block_time) AS time, block_number, tx_index
FROM account_entries
WHERE ${rows} AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC')
GROUP BY time, block_number, tx_index
ORDER BY time, block_number, tx_index
LIMIT {limit:UInt32}`;

const RECEIPTS = positionsOf(handOvers('in'));

/** The payer of the fee has signed. */
const SIGNED = positionsOf(`
  chain = {chain:String} AND address = {wallet:String} AND direction = 'out' AND asset_family = 'native'
  AND kind = 'fee' AND is_sender AND ${VISIBLE_ROWS_OF_A_RANGE}`);

type Row = readonly [time: number, block: string, tx: number];

const readPositions = async (
  client: WarehouseClient,
  query: string,
  { chain, wallet, fromUnixSeconds: from, toUnixSeconds: to, limit, ...limits }: WalletTimeRequest,
): Promise<readonly TransactionPosition[]> => {
  const params = { chain, wallet, from, to, limit };
  const rows = await askTables<Row>(client, { query, params }, limits);
  return rows.map((row) => toPosition(...row));
};

/** Transactions in which the wallet received something, earliest first. One query. */
export const readReceipts = (client: WarehouseClient, request: WalletTimeRequest) =>
  readPositions(client, RECEIPTS, request);

/** Transactions whose fee the wallet paid, earliest first. One query. */
export const readSigned = (client: WarehouseClient, request: WalletTimeRequest) =>
  readPositions(client, SIGNED, request);
