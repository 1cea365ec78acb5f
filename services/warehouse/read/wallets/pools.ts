import type { Address } from '../../../investigate/model/address.ts';
import type { PoolsRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { readContractsSeen } from '../control/contracts-seen.ts';

/** Of the recipient's own: the range of the key is that of all. */
const own = (values: string): string =>
  `{${values}}[transform(address, {addresses:Array(String)}, {places:Array(UInt32)}, toUInt32(0))]`;

/** `uniqUpTo` counts no further. */
const QUERY = `
SELECT address FROM account_entries
WHERE chain = {chain:String} AND address IN {addresses:Array(String)} AND asset_family = {canonicalAsset:String}
  AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC')
  AND toUnixTimestamp(block_time) BETWEEN ${own('froms:Array(UInt32)')} AND ${own('tos:Array(UInt32)')}
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > ${own('leasts:Array(UInt256)')}
  AND counterparty NOT IN ('', address) AND ${VISIBLE_ROWS}
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
  { chain, recipients, canonicalAsset, payersMin, ...limits }: PoolsRequest,
): Promise<ReadonlySet<Address>> => {
  const addresses = recipients.map(({ address }) => address);
  const contracts = await readContractsSeen(client, { chains: [chain], addresses, ...limits });
  const asked = recipients.filter(({ address, isLabelled }) => isLabelled || contracts.has(address));
  if (asked.length === 0) return new Set();
  const froms = asked.map(({ fromUnixSeconds }) => Math.max(0, fromUnixSeconds));
  const tos = asked.map(({ toUnixSeconds }) => Math.min(TIME_MAX, toUnixSeconds));
  const params = {
    ...{ chain, canonicalAsset, payers: payersMin, froms, tos },
    addresses: asked.map(({ address }) => address),
    places: asked.map((_, at) => at + 1),
    leasts: asked.map(({ leastRaw }) => leastRaw),
    from: froms.reduce((a, b) => Math.min(a, b)),
    to: tos.reduce((a, b) => Math.max(a, b)),
  };
  const rows = await askTables<readonly [address: string]>(client, { query: QUERY, params }, limits);
  return new Set(rows.map(([address]) => address));
};
