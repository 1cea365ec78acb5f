import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import type { HeldLabels } from '../../labels/held-labels.ts';
import type { ServiceWallets } from '../../labels/held-services.ts';
import { askTables } from '../ask-tables.ts';

/** One range of the table's projection for each service. The last row of each address counts, as with FINAL. */
const QUERY = `
SELECT entity, arraySort(groupArraySorted({limit:UInt32})(address)), count()
FROM
(
    SELECT entity, address FROM service_wallets
    WHERE chain = {chain:String} AND entity IN {entities:Array(String)}
    GROUP BY entity, address HAVING argMax(removed, sequence) = 0
)
GROUP BY entity`;

type Row = readonly [entity: string, addresses: string[], total: string];

/**
 * The first addresses of each service, in order, and their number. One query unless the process holds them
 * itself.
 */
export const readServiceWallets = async (
  client: WarehouseClient,
  held: HeldLabels,
  { chain, limit }: OnChain & { readonly limit: number },
  entities: readonly string[],
  limits: ReadLimits,
): Promise<readonly ServiceWallets[]> => {
  const known = new Map(entities.map((entity) => [entity, held.serviceWallets(chain, entity, limit)]));
  const unheld = entities.filter((entity) => known.get(entity) === null);
  if (unheld.length > 0) {
    const params = { chain, entities: unheld, limit };
    for (const [entity, addresses, total] of await askTables<Row>(client, { query: QUERY, params }, limits))
      known.set(entity, { addresses, total: Number(total) });
  }
  return entities.map((entity) => known.get(entity) ?? { addresses: [], total: 0 });
};
