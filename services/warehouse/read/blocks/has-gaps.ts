import type { TimeRange } from '../../../investigate/model/trace-reader.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const BLOCKS = `FROM blocks WHERE chain = {chain:String} AND ${VISIBLE_ROWS}`;
const PARENT = 'toInt64(ifNull(parent_number, toUInt64(number - 1)))';

// Compares the sum of the steps from each block to its parent, from the last block before the range to the
// first after it, with the distance between these two. They are equal unless a block is missing. A block with
// a missing part counts as missing. Blocks without a time cannot be an end. Uses a sum, because a week may
// have millions of blocks.
const QUERY = `
SELECT sumIf(toInt64(number) - ${PARENT}, part = 0) < toInt64(max(number)) - min(${PARENT}) OR count() < sumIf(parts, part = 0)
${BLOCKS}
  AND number >= ifNull((SELECT number ${BLOCKS} AND time > toDateTime(0, 'UTC')
    AND time < toDateTime({from:UInt32}, 'UTC') ORDER BY number DESC LIMIT 1), 0)
  AND number <= ifNull((SELECT number ${BLOCKS} AND time > toDateTime({to:UInt32}, 'UTC') ORDER BY number LIMIT 1), {most:UInt64})`;

const UINT64_MAX = '18446744073709551615';
type Row = readonly [hasGaps: 0 | 1];

/**
 * Whether a block is missing in each range. A query over a range of the key, whose ends are found by the
 * blocks' times.
 */
export const readHasGaps = (
  client: WarehouseClient,
  { chain }: OnChain,
  times: readonly TimeRange[],
  limits: ReadLimits,
): Promise<readonly boolean[]> =>
  Promise.all(
    times.map(async ({ fromUnixSeconds: from, toUnixSeconds: to }) => {
      const params = { chain, from, to, most: UINT64_MAX };
      const [row] = await askTables<Row>(client, { query: QUERY, params }, limits);
      return row?.[0] === 1;
    }),
  );
