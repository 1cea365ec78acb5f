import type { BlockHead } from '../../events/block-head.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../clauses/visible-rows.ts';
import { partKey, type StoredAs } from './plan-batch.ts';

const QUERY = `
SELECT chain, hash, part, sequence
FROM blocks
WHERE chain = {chain:String} AND number IN {numbers:Array(UInt64)} AND ${VISIBLE_ROWS}`;

/** Asks the tables which of these block parts they show: one indexed query a chain. */
export const findStored = async (client: WarehouseClient, heads: readonly BlockHead[]): Promise<StoredAs> => {
  const stored = new Map<string, number[]>();
  for (const [chain, ofChain] of Map.groupBy(heads, (h) => h.chain)) {
    const numbers = [...new Set(ofChain.map((h) => h.blockNumber))];
    const answer = await client.query({
      query: QUERY,
      query_params: { chain, numbers },
      format: 'JSONCompactEachRow',
    });
    for (const [, hash, part, sequence] of await answer.json<[string, string, number, string]>()) {
      const key = partKey({ chain, blockHash: hash, part });
      stored.set(key, [...(stored.get(key) ?? []), Number(sequence)]);
    }
  }
  return (head) => stored.get(partKey(head)) ?? [];
};
