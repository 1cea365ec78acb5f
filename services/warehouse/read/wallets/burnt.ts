import type { BurntRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { exactSum, toExactSum, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const query = (ownOnly: boolean): string => `
SELECT ${exactSum("kind = 'burn'")}
FROM account_entries
WHERE chain = {chain:String} AND address = {wallet:String} AND direction = 'out' AND asset_family = {canonicalAsset:String}
  AND block_time >= toDateTime({since:UInt32}, 'UTC') ${ownOnly ? 'AND is_sender' : ''} AND ${VISIBLE_ROWS}`;

type Row = readonly [sum: string, upper: string];

/** One query over the wallet's outflows since then. */
export const readBurnt = async (
  client: WarehouseClient,
  { chain, wallet, canonicalAsset, sinceUnixSeconds: since, ownOnly, ...limits }: BurntRequest,
): Promise<bigint> => {
  const params = { chain, wallet, canonicalAsset, since };
  const [row] = await askTables<Row>(client, { query: query(ownOnly), params }, limits);
  return row === undefined ? 0n : toExactSum(...row);
};
