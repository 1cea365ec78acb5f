import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';

const QUERY = `
SELECT asset, count() FROM transfers
WHERE chain = {chain:String} AND block_number > {after:UInt64} AND block_number <= {until:UInt64}
  AND asset NOT IN (SELECT asset FROM asset_claims WHERE chain = {chain:String})
  AND asset NOT IN {known:Array(String)}
GROUP BY asset ORDER BY count() DESC, asset LIMIT {limit:UInt32}`;

type Request = ReadLimits & {
  readonly chain: string;
  /** Blocks looked at: after the one, until the other. */
  readonly after: number;
  readonly until: number;
  /** Assets that need no description. */
  readonly known: readonly string[];
  readonly limit: number;
};

/** Assets that moved in these blocks and that nobody was asked about, the busiest first. Reads the blocks' rows. */
export const readUndescribedAssets = async (
  client: WarehouseClient,
  { chain, after, until, known, limit, ...limits }: Request,
): Promise<string[]> => {
  const params = { chain, after, until, known, limit };
  const rows = await askTables<readonly [string, string]>(client, { query: QUERY, params }, limits);
  return rows.map(([asset]) => asset);
};
