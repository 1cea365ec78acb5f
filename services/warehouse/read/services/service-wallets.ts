import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import type { HeldLabels } from '../../labels/held-labels.ts';
import type { ServiceWallets } from '../../labels/held-services.ts';
import { askTables } from '../ask-tables.ts';

/** One range of the table's projection by service. The last row of each address counts, as with FINAL. */
const QUERY = `
SELECT arraySort(groupArraySorted({limit:UInt32})(address)), count()
FROM
(
    SELECT address FROM service_wallets
    WHERE chain = {chain:String} AND entity = {entity:String}
    GROUP BY address HAVING argMax(removed, sequence) = 0
)`;

type Row = readonly [addresses: string[], total: string];

/**
 * The first addresses of a service, in order, and their number. One query unless the process holds them
 * itself.
 */
export const readServiceWallets = async (
  client: WarehouseClient,
  held: HeldLabels,
  { chain, entity, limit, ...limits }: ReadLimits & { chain: string; entity: string; limit: number },
): Promise<ServiceWallets> => {
  const known = held.serviceWallets(chain, entity, limit);
  if (known !== null) return known;
  const [row] = await askTables<Row>(client, { query: QUERY, params: { chain, entity, limit } }, limits);
  return { addresses: row?.[0] ?? [], total: Number(row?.[1] ?? 0) };
};
