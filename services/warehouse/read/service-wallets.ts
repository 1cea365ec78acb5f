import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';

/** The table is in order of addresses, not of services, and small: it is read through, one column after the other. */
const QUERY = `
SELECT arraySort(groupArraySorted({limit:UInt32})(address)), count()
FROM service_wallets FINAL
WHERE chain = {chain:String} AND entity = {entity:String}`;

type Row = readonly [addresses: string[], total: string];

/** One query: the first addresses of a service, in order, and how many it has. */
export const readServiceWallets = async (
  client: WarehouseClient,
  { chain, entity, limit, ...limits }: ReadLimits & { chain: string; entity: string; limit: number },
): Promise<{ readonly addresses: readonly string[]; readonly total: number }> => {
  const [row] = await askTables<Row>(client, { query: QUERY, params: { chain, entity, limit } }, limits);
  return { addresses: row?.[0] ?? [], total: Number(row?.[1] ?? 0) };
};
