import type { Address } from '../../../investigate/model/address.ts';
import type { PoolsRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { readContractsSeen } from '../control/contracts-seen.ts';

/** `uniqUpTo` counts no further. */
const QUERY = `
SELECT address FROM account_entries
WHERE chain = {chain:String} AND address IN {addresses:Array(String)} AND asset_family = {canonicalAsset:String}
  AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC')
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > {least:UInt256} AND counterparty NOT IN ('', address) AND ${VISIBLE_ROWS}
GROUP BY address
HAVING uniqUpToIf({payers:UInt8})(counterparty, direction = 'in') >= {payers:UInt8}
  AND uniqUpToIf(2)(counterparty, direction = 'out') != 1`;

/** The latest time in the tables. */
const TIME_MAX = 2 ** 32 - 1;

/**
 * Which of these are contracts that many others pay in the asset, and that do not pass all of it on to one. One query for contracts,
 * and one for their payers where there are any.
 */
export const readPools = async (
  client: WarehouseClient,
  {
    chain,
    addresses,
    labelled,
    canonicalAsset,
    leastRaw,
    payersMin,
    fromUnixSeconds,
    toUnixSeconds,
    ...limits
  }: PoolsRequest,
): Promise<ReadonlySet<Address>> => {
  const contracts = await readContractsSeen(client, { chains: [chain], addresses, ...limits });
  const asked = [...new Set([...contracts.keys(), ...labelled])];
  if (asked.length === 0) return new Set();
  const params = {
    chain,
    canonicalAsset,
    addresses: asked,
    least: String(leastRaw),
    payers: payersMin,
    from: Math.max(0, fromUnixSeconds),
    to: Math.min(TIME_MAX, toUnixSeconds),
  };
  const rows = await askTables<readonly [address: string]>(client, { query: QUERY, params }, limits);
  return new Set(rows.map(([address]) => address));
};
