import type { Service } from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import type { HeldLabels } from '../../labels/held-labels.ts';
import { askTables } from '../ask-tables.ts';

const QUERY = `
SELECT address, entity, kind FROM service_wallets FINAL
WHERE chain = {chain:String} AND address IN {addresses:Array(String)}
ORDER BY address, sequence`;

type Row = readonly [address: string, entity: string, kind: string];

/**
 * The service of each address by its latest label. Unknown addresses are missing. No query for labels that
 * the process holds itself, otherwise one.
 */
export const readServices = async (
  client: WarehouseClient,
  held: HeldLabels,
  {
    chain,
    addresses,
    ...limits
  }: ReadLimits & { readonly chain: string; readonly addresses: readonly string[] },
): Promise<ReadonlyMap<string, Service>> => {
  const { known, unheld } = held.services(chain, addresses);
  if (unheld.length === 0) return known;
  const params = { chain, addresses: unheld };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return new Map<string, Service>([
    ...known,
    ...rows.map(([address, entity, kind]) => [address, { entity, kind }] as const),
  ]);
};
