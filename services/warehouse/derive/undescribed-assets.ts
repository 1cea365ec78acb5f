import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../read/ask-tables.ts';
import { type LaneRange, NEW_EVENTS, rangeParams } from './settled.ts';

// Only tokens that moved are looked up, because a set of all the chain's millions would be built every few
// seconds.
const MOVED = `
  SELECT asset FROM transfers
  WHERE chain = {chain:String} AND block_number IN
  (
    SELECT number FROM blocks WHERE chain = {chain:String} AND ${NEW_EVENTS}
    UNION ALL
    SELECT block_number FROM single_transactions WHERE chain = {chain:String} AND ${NEW_EVENTS}
  )
  AND asset NOT IN {known:Array(String)}`;

const QUERY = `
SELECT asset, count() FROM (${MOVED})
WHERE asset NOT IN (SELECT asset FROM asset_claims WHERE chain = {chain:String} AND asset IN (${MOVED}))
GROUP BY asset ORDER BY count() DESC, asset LIMIT {limit:UInt32}`;

type Request = ReadLimits & {
  readonly chain: string;
  /**
   * For each partition of the log, the events to check: from a sequence (inclusive) to another (exclusive).
   */
  readonly lanes: readonly LaneRange[];
  /** Assets that need no description. */
  readonly known: readonly string[];
  readonly limit: number;
};

/**
 * Assets that these events moved and that were never described, the busiest first. Reads the rows of their
 * blocks.
 */
export const readUndescribedAssets = async (
  client: WarehouseClient,
  { chain, lanes, known, limit, ...limits }: Request,
): Promise<string[]> => {
  const params = { chain, known, limit, ...rangeParams(lanes) };
  const rows = await askTables<readonly [string, string]>(client, { query: QUERY, params }, limits);
  return rows.map(([asset]) => asset);
};
