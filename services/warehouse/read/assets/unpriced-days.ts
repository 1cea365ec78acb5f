import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';

/**
 * Blocks without a time are ignored. A day with withdrawn prices is not fetched again, because they would
 * come back.
 */
const QUERY = `
SELECT chain, toUnixTimestamp(toDateTime(day, 'UTC')) FROM
(
  SELECT toString(chain) AS chain, toDate(time) AS day FROM blocks
  WHERE time > toDateTime(0) AND time < now() - INTERVAL 1 DAY GROUP BY chain, day
)
WHERE (chain, day) NOT IN
  (SELECT toString(chain), toDate(time) FROM prices FINAL WHERE asset = 'native' AND resolution = 'hour' AND usd IS NOT NULL)
  AND (chain, day) NOT IN (SELECT toString(chain), day FROM imported_prices WHERE asset = 'native')
ORDER BY day DESC, chain LIMIT {limit:UInt32}`;

export type UnpricedDay = { readonly chain: string; readonly beginUnixSeconds: number };

/** Whole days (UTC) with blocks and without any price of the chain's coin, the newest first. */
export const readUnpricedDays = async (
  client: WarehouseClient,
  { limit, ...limits }: ReadLimits & { limit: number },
): Promise<UnpricedDay[]> => {
  const rows = await askTables<readonly [string, number]>(
    client,
    { query: QUERY, params: { limit } },
    limits,
  );
  return rows.map(([chain, beginUnixSeconds]) => ({ chain, beginUnixSeconds }));
};
