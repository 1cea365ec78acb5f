import type { CaseReader, Holding } from '../../../investigate/model/case-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const QUERY = `
SELECT DISTINCT address, asset_family
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction IN ('in', 'out')
  AND (address, asset_family) IN arrayZip({wallets:Array(String)}, {canonicalAssets:Array(String)})
  AND is_sender AND amount > 0 AND ${VISIBLE_ROWS}`;

/**
 * Which of the holdings their holders moved or received in transactions they sent. One query, two ranges of
 * the key for each.
 */
export const readHandled = async (
  client: WarehouseClient,
  { chain, holdings, ...limits }: Parameters<CaseReader['handled']>[0],
): Promise<readonly Holding[]> => {
  if (holdings.length === 0) return [];
  const params = {
    chain,
    wallets: holdings.map(({ wallet }) => wallet),
    canonicalAssets: holdings.map(({ canonicalAsset }) => canonicalAsset),
  };
  const rows = await askTables<readonly [wallet: string, canonicalAsset: string]>(
    client,
    { query: QUERY, params },
    limits,
  );
  return rows.map(([wallet, canonicalAsset]) => ({ wallet, canonicalAsset }));
};
