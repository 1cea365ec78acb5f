import type { WalletRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const QUERY = `
SELECT 1 FROM account_entries
WHERE chain = {chain:String} AND address = {wallet:String} AND ${VISIBLE_ROWS} LIMIT 1`;

/** One query: whether any row names the wallet. */
export const readIsKnown = async (
  client: WarehouseClient,
  { chain, wallet, ...limits }: WalletRequest,
): Promise<boolean> => {
  const rows = await askTables(client, { query: QUERY, params: { chain, wallet } }, limits);
  return rows.length > 0;
};
