import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import type { BlockName } from './planned-record.ts';

// Parameters travel in the URL of a request, which has a size limit.
const AT_ONCE = 200;

/** Marks these blocks as final, for copies from every topic. Idempotent. */
export const keepFinal = async (client: WarehouseClient, blocks: readonly BlockName[]): Promise<void> => {
  for (let start = 0; start < blocks.length; start += AT_ONCE) {
    const some = blocks.slice(start, start + AT_ONCE);
    await client.command({
      query: `INSERT INTO final_blocks
SELECT block.1, block.2, block.3 FROM (
  SELECT arrayJoin(arrayZip({chains:Array(String)}, {numbers:Array(UInt64)}, {hashes:Array(String)})) AS block)`,
      query_params: {
        chains: some.map(({ chain }) => chain),
        numbers: some.map(({ blockNumber }) => blockNumber),
        hashes: some.map(({ blockHash }) => blockHash),
      },
    });
  }
};
