import { setTimeout as sleep } from 'node:timers/promises';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import type { BlockTable } from './indexed-head.ts';

/** Blocks looked through at once, which takes some seconds on two cores. */
const BLOCKS_AT_ONCE = 4_000_000;
const LOOK_TIMEOUT_MS = 60_000;
/** Nobody waits longer. Until then less is known to be whole. */
const WAIT_MS = 2_000;

/** Nothing is missing before the number 1, where `begun` is 0. */
const firstGap = (table: BlockTable): string => `
SELECT max(number), minIf((number, before), parent > before)
FROM
(
  SELECT number, parent, lagInFrame(number, 1, {begun:Int64})
    OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
  FROM
  (
    SELECT toInt64(number) AS number, toInt64(ifNull(parent_number, number - 1)) AS parent
    FROM ${table}
    WHERE chain = {chain:String} AND number BETWEEN {begun:Int64} AND {to:Int64} AND part = 0 AND ${VISIBLE_ROWS}
    ORDER BY number LIMIT {blocks:UInt32}
  )
)`;

type Row = readonly [newest: string, gap: readonly [number: string, before: string]];

/** What is known of a chain: all blocks up to `block` are indexed, and there is a gap between it and `lookedTo`. */
type Known = { block: number; lookedTo: number };

/**
 * The last block before a chain's first gap; null where its first block is missing. `begin` is a block with a gap before it. The blocks are
 * looked through once, in the background, and again from there on when the last gap is another.
 */
export const createBeginning = (
  client: WarehouseClient,
  table: BlockTable,
): ((chain: string, begin: number) => Promise<number | null>) => {
  const known = new Map<string, Known>();
  const underway = new Map<string, Promise<void>>();
  const lookThrough = async (chain: string, own: Known, begin: number): Promise<void> => {
    for (let isOver = false; !isOver; ) {
      const params = { chain, begun: own.block, to: begin, blocks: BLOCKS_AT_ONCE };
      const limits = { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS), timeoutMs: LOOK_TIMEOUT_MS };
      const [row] = await askTables<Row>(client, { query: firstGap(table), params }, limits);
      const [newest, [gap, before]] = row ?? ['0', ['0', '0']];
      const end = Number(gap) > 0 ? Number(before) : Number(newest);
      isOver = Number(gap) > 0 || end <= own.block;
      own.block = Math.max(own.block, end);
    }
    own.lookedTo = begin;
  };
  return async (chain, begin) => {
    const own = known.get(chain) ?? { block: 0, lookedTo: 0 };
    known.set(chain, own);
    if (own.lookedTo !== begin) {
      const looking =
        underway.get(chain) ?? lookThrough(chain, own, begin).finally(() => underway.delete(chain));
      underway.set(chain, looking);
      // After a failure, the next caller continues it.
      const failed = looking.catch(() => undefined);
      await Promise.race([failed, sleep(WAIT_MS, undefined, { ref: false })]);
    }
    return own.block || null;
  };
};
