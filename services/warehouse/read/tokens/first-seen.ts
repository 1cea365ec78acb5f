import type { OnChain, ReadLimits, TransactionPosition } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

const QUERY = `
SELECT asset, toUnixTimestamp(min(first).4), min(first).1, min(first).2
FROM token_firsts
WHERE chain = {chain:String} AND asset IN {tokens:Array(String)}
GROUP BY asset`;

type Row = readonly [token: string, time: number, block: string, tx: number];

/** One query, a point of the key for each token. */
export const readFirstSeen = async (
  client: WarehouseClient,
  { chain }: OnChain,
  tokens: readonly string[],
  limits: ReadLimits,
): Promise<readonly (TransactionPosition | null)[]> => {
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, tokens } }, limits);
  const first = new Map(rows.map(([token, ...at]) => [token, toPosition(...at)]));
  return tokens.map((token) => first.get(token) ?? null);
};
