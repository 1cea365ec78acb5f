import type { Service } from '../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';

const QUERY = `
SELECT address, entity, kind FROM service_wallets FINAL
WHERE chain = {chain:String} AND address IN {addresses:Array(String)}
ORDER BY address, sequence`;

type Row = readonly [address: string, entity: string, kind: string];

/** One query: which service each address belongs to, as it was last said; those of nobody known are missing. */
export const readServices = async (
  client: WarehouseClient,
  {
    chain,
    addresses,
    ...limits
  }: ReadLimits & { readonly chain: string; readonly addresses: readonly string[] },
): Promise<ReadonlyMap<string, Service>> => {
  if (addresses.length === 0) return new Map();
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, addresses } }, limits);
  return new Map(rows.map(([address, entity, kind]) => [address, { entity, kind }]));
};
