import type { OfAsset, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { exactSum, toExactSum, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const QUERY = `
SELECT address, ${exactSum("direction = 'in'")}, ${exactSum("direction = 'out'")}
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction IN ('in', 'out')
  AND asset_family = {canonicalAsset:String} AND ${VISIBLE_ROWS}
GROUP BY address`;

type Row = readonly [wallet: string, inSum: string, inUpper: string, outSum: string, outUpper: string];

/** All inflow minus all outflow; null when there is no row. One query, two ranges of the key for each wallet. */
export const readBalances = async (
  client: WarehouseClient,
  common: OfAsset,
  wallets: readonly string[],
  limits: ReadLimits,
): Promise<readonly (bigint | null)[]> => {
  const rows = await askTables<Row>(client, { query: QUERY, params: { ...common, wallets } }, limits);
  const held = new Map(
    rows.map(([wallet, inSum, inUpper, outSum, outUpper]) => [
      wallet,
      toExactSum(inSum, inUpper) - toExactSum(outSum, outUpper),
    ]),
  );
  return wallets.map((wallet) => held.get(wallet) ?? null);
};
