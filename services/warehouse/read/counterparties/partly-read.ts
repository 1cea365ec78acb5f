import type { CanonicalAsset } from '../../../investigate/model/asset.ts';
import type { Direction, WalletSide } from '../../../investigate/model/trace-reader.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { endsOf, IS_CUT, KEYS_AT_ENDS, keyOf } from './neighbours.ts';

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
  { chain, canonicalAssets }: OnChain & { readonly canonicalAssets: readonly CanonicalAsset[] },
  sides: readonly WalletSide[],
  limits: ReadLimits,
): Promise<readonly boolean[]> => {
  if (sides.length === 0) return [];
  const params = { chain, ...endsOf(sides, canonicalAssets) };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  const partly = new Set(rows.map(([wallet, direction]) => keyOf({ wallet, direction })));
  return sides.map((side) => partly.has(keyOf(side)));
};
