import type { AssetReader } from '../../../investigate/model/asset-reader.ts';
import { type AssetClaim, describeAsset } from '../../../investigate/model/describe-asset.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';

/** Facts from blocks override those from a contract's answers. */
const QUERY = `
SELECT asset, max(symbol), argMax(decimals, from_block) FROM
(
  SELECT asset, '' AS symbol, decimals, true AS from_block FROM assets
  WHERE chain = {chain:String} AND asset IN {assets:Array(String)}
  UNION ALL
  SELECT asset, symbol, decimals, false AS from_block FROM asset_claims FINAL
  WHERE chain = {chain:String} AND asset IN {assets:Array(String)}
)
GROUP BY asset`;

type Row = readonly [asset: string, symbol: string, decimals: number];

const UNKNOWN: AssetClaim = { symbol: null, decimals: null };

/** The asset reader over the tables. `client` needs only the right to read them. */
export const createAssetReader = (client: WarehouseClient): AssetReader => ({
  assets: async ({ chain }, assets, limits) => {
    if (assets.length === 0) return [];
    const params = { chain: chain.name, assets };
    const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
    const claims = new Map(rows.map(([asset, symbol, decimals]) => [asset, toClaim(symbol, decimals)]));
    return assets.map((asset) => describeAsset(chain, asset, claims.get(asset) ?? UNKNOWN));
  },
});

const toClaim = (symbol: string, decimals: number): AssetClaim => ({
  symbol: symbol === '' ? null : symbol,
  decimals: decimals < 0 ? null : decimals,
});
