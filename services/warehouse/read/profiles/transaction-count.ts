import type { WalletRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS_OF_A_RANGE } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/**
 * The limit stops the read, so a wallet with a million transactions costs no more than one with a thousand.
 */
const QUERY = `
SELECT count() FROM
(
  SELECT DISTINCT block_number, tx_index FROM account_entries
  WHERE chain = {chain:String} AND address = {wallet:String} AND tx_index >= 0 AND ${VISIBLE_ROWS_OF_A_RANGE}
  LIMIT {limit:UInt32}
)`;

/**
 * Distinct transactions that name the wallet, up to a limit. Rows of blocks themselves are no transactions.
 * One query.
 */
export const readTransactionCount = async (
  client: WarehouseClient,
  { chain, wallet, limit, ...limits }: WalletRequest & { readonly limit: number },
): Promise<number> => {
  const params = { chain, wallet, limit };
  const [row] = await askTables<readonly [string]>(client, { query: QUERY, params }, limits);
  return Number(row?.[0] ?? 0);
};
