import type { TokenRequest } from '../../../investigate/model/token-reader.ts';
import type { TransactionPosition } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

const QUERY = `
SELECT toUnixTimestamp(min(first).4), min(first).1, min(first).2
FROM token_firsts
WHERE chain = {chain:String} AND asset = {token:String}
GROUP BY asset`;

type Row = readonly [time: number, block: string, tx: number];

/** One query, one point of the key. */
export const readFirstSeen = async (
  client: WarehouseClient,
  { chain, token, ...limits }: TokenRequest,
): Promise<TransactionPosition | null> => {
  const [row] = await askTables<Row>(client, { query: QUERY, params: { chain, token } }, limits);
  return row === undefined ? null : toPosition(...row);
};
