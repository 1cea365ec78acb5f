import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';

const QUERY = 'SELECT decimals FROM assets WHERE chain = {chain:String} AND asset = {asset:String} LIMIT 1';

type Row = readonly [decimals: number];

/** One query; null where no block said it. */
export const readDecimals = async (
  client: WarehouseClient,
  { chain, asset, ...limits }: ReadLimits & { chain: string; asset: string },
): Promise<number | null> => {
  const [row] = await askTables<Row>(client, { query: QUERY, params: { chain, asset } }, limits);
  return row?.[0] ?? null;
};
