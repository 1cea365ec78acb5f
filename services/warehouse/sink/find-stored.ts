import type { BlockHead } from '../../events/block-head.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { partKey } from './plan-batch.ts';

const QUERY = `
SELECT chain, hash, part
FROM blocks
WHERE chain = {chain:String} AND number IN {numbers:Array(UInt64)}`;

/** Asks the tables which of these block parts they hold: one indexed query a chain. */
export const findStored = async (
  client: WarehouseClient,
  heads: readonly BlockHead[],
): Promise<(head: BlockHead) => boolean> => {
  const stored = new Set<string>();
  for (const [chain, ofChain] of Map.groupBy(heads, (h) => h.chain)) {
    const numbers = [...new Set(ofChain.map((h) => h.blockNumber))];
    const answer = await client.query({
      query: QUERY,
      query_params: { chain, numbers },
      format: 'JSONCompactEachRow',
    });
    for (const [, hash, part] of await answer.json<[string, string, number]>()) {
      stored.add(partKey({ chain, blockHash: hash, part }));
    }
  }
  return (head) => stored.has(partKey(head));
};
