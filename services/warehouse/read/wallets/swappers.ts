import type { SwappersRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const query = (ownOnly: boolean): string => `
SELECT DISTINCT owner FROM swaps
WHERE chain = {chain:String} AND owner IN {wallets:Array(String)} AND gave_family = {canonicalAsset:String}
  AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC') AND ${VISIBLE_ROWS}
  ${ownOnly ? 'AND sender = owner' : ''}
  AND arrayExists(
    (wallet, since, until) -> owner = wallet AND toUnixTimestamp(block_time) BETWEEN since AND until,
    {wallets:Array(String)}, {since:Array(UInt32)}, {until:Array(UInt32)})
LIMIT {limit:UInt32}`;

type Row = readonly [owner: string];

/**
 * Which of the wallets swapped an asset away. One query, a range of the key for each. For a single wallet it
 * stops at the first swap.
 */
export const readSwappers = async (
  client: WarehouseClient,
  { chain, canonicalAsset, ownOnly, spans, ...limits }: SwappersRequest,
): Promise<ReadonlySet<string>> => {
  const since = spans.map(({ fromUnixSeconds }) => fromUnixSeconds);
  const until = spans.map(({ toUnixSeconds }) => toUnixSeconds);
  const wallets = spans.map(({ wallet }) => wallet);
  const ends = { from: Math.min(...since), to: Math.max(...until) };
  const params = { chain, canonicalAsset, limit: spans.length, wallets, since, until, ...ends };
  const rows = await askTables<Row>(client, { query: query(ownOnly), params }, limits);
  return new Set(rows.map(([owner]) => owner));
};
