import type { ReadLimits, TransactionPosition } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

const QUERY = `
SELECT address, min((toUnixTimestamp(block_time), block_number, tx_index))
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND ${VISIBLE_ROWS}
GROUP BY address`;

type Row = readonly [wallet: string, first: readonly [time: number, block: string, tx: number]];

/** The first row that names each address. One query over the ranges of some wallets. */
export const readFirstSeen = async (
  client: WarehouseClient,
  { chain, wallets, ...limits }: ReadLimits & { readonly chain: string; readonly wallets: readonly string[] },
): Promise<ReadonlyMap<string, TransactionPosition>> => {
  if (wallets.length === 0) return new Map();
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, wallets } }, limits);
  return new Map(rows.map(([wallet, first]) => [wallet, toPosition(...first)]));
};
