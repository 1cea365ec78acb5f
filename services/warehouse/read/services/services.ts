import type { Service } from '../../../investigate/model/trace-reader.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import type { HeldLabels } from '../../labels/held-labels.ts';
import { askTables } from '../ask-tables.ts';

const QUERY = `
SELECT address, entity, kind FROM service_wallets FINAL
WHERE chain = {chain:String} AND address IN {addresses:Array(String)}
ORDER BY address, sequence`;

type Row = readonly [address: string, entity: string, kind: string];

/**
 * The service of each address by its latest label. No query for labels that
 * the process holds itself, otherwise one.
 */
export const readServices = async (
  client: WarehouseClient,
  held: HeldLabels,
  { chain }: OnChain,
  addresses: readonly string[],
  limits: ReadLimits,
): Promise<readonly (Service | null)[]> => {
  const { known, unheld } = held.services(chain, addresses);
  const params = { chain, addresses: unheld };
  const rows = unheld.length === 0 ? [] : await askTables<Row>(client, { query: QUERY, params }, limits);
  const asked = new Map(rows.map(([address, entity, kind]) => [address, { entity, kind }]));
  return addresses.map((address) => asked.get(address) ?? known.get(address) ?? null);
};
