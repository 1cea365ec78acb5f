import type { Direction, PartlyReadRequest, WalletSide } from '../../../investigate/model/trace-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { atEnds, endsOf, IS_CUT } from './neighbours.ts';

/** The positions of all rows at the ends of ranges. */
export const KEYS_AT_ENDS = atEnds(
  (ends) => `SELECT address, direction, asset_family, _part, _part_offset FROM account_entries
  WHERE chain = {chain:String} AND ${ends} AND asset_family IN {canonicalAssets:Array(String)}`,
);

/**
 * Also counts rows that `neighbours` filters out by kind or amount, because dust hides the rows behind it
 * just as payments do.
 */
const QUERY = `
SELECT DISTINCT address, direction
FROM (
  SELECT address, direction
  FROM ${KEYS_AT_ENDS}
  GROUP BY address, direction, asset_family, _part
  HAVING ${IS_CUT}
)`;

type Row = readonly [wallet: string, direction: Direction];

/** One query over the ranges that `neighbours` reads. */
export const readPartlyRead = async (
  client: WarehouseClient,
  { chain, sides, canonicalAssets, ...limits }: PartlyReadRequest,
): Promise<readonly WalletSide[]> => {
  if (sides.length === 0) return [];
  const params = { chain, ...endsOf(sides, canonicalAssets) };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return rows.map(([wallet, direction]) => ({ wallet, direction }));
};
