import type { WalletAssetRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { exactSum, toExactSum, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const QUERY = `
SELECT ${exactSum("direction = 'in'")}, ${exactSum("direction = 'out'")}, count()
FROM account_entries
WHERE chain = {chain:String} AND address = {wallet:String} AND direction IN ('in', 'out')
  AND asset_family = {canonicalAsset:String} AND ${VISIBLE_ROWS}`;

type Row = readonly [inSum: string, inUpper: string, outSum: string, outUpper: string, rows: string];

/** All inflow minus all outflow; null when there is no row. One query. */
export const readBalance = async (
  client: WarehouseClient,
  { chain, wallet, canonicalAsset, ...limits }: WalletAssetRequest,
): Promise<bigint | null> => {
  const [row] = await askTables<Row>(
    client,
    { query: QUERY, params: { chain, wallet, canonicalAsset } },
    limits,
  );
  if (row === undefined) return null;
  const [inSum, inUpper, outSum, outUpper, rows] = row;
  return rows === '0' ? null : toExactSum(inSum, inUpper) - toExactSum(outSum, outUpper);
};
