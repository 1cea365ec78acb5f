import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';

/** What blocks say goes before what a contract answered. */
const QUERY = `
SELECT decimals FROM
(
  SELECT decimals, 1 AS place FROM assets WHERE chain = {chain:String} AND asset = {asset:String}
  UNION ALL
  SELECT decimals, 2 AS place FROM asset_claims FINAL
  WHERE chain = {chain:String} AND asset = {asset:String} AND decimals >= 0
)
ORDER BY place LIMIT 1`;

type Row = readonly [decimals: number];

/** One query; null where neither a block nor the token itself says it. */
export const readDecimals = async (
  client: WarehouseClient,
  { chain, asset, ...limits }: ReadLimits & { chain: string; asset: string },
): Promise<number | null> => {
  const [row] = await askTables<Row>(client, { query: QUERY, params: { chain, asset } }, limits);
  return row?.[0] ?? null;
};
