import type { Holding } from '../../../investigate/model/case-reader.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const QUERY = `
SELECT DISTINCT address, asset_family
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction IN ('in', 'out')
  AND (address, asset_family) IN arrayZip({wallets:Array(String)}, {canonicalAssets:Array(String)})
  AND is_sender AND amount > 0 AND ${VISIBLE_ROWS}`;

/** One query, two ranges of the key for each holding. */
export const readHandled = async (
  client: WarehouseClient,
  { chain }: OnChain,
  holdings: readonly Holding[],
  limits: ReadLimits,
): Promise<readonly boolean[]> => {
  const params = { chain, ...toHoldingParams(holdings) };
  const rows = await askTables<readonly [wallet: string, canonicalAsset: string]>(
    client,
    { query: QUERY, params },
    limits,
  );
  const handled = new Set(rows.map((row) => row.join(' ')));
  return holdings.map(({ wallet, canonicalAsset }) => handled.has(`${wallet} ${canonicalAsset}`));
};

export const toHoldingParams = (holdings: readonly Holding[]) => ({
  wallets: holdings.map(({ wallet }) => wallet),
  canonicalAssets: holdings.map(({ canonicalAsset }) => canonicalAsset),
});
