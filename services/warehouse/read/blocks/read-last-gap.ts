import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import type { BlockTable } from './indexed-head.ts';

/**
 * The newest blocks of a live chain may still arrive out of order, but not more than this many. A larger gap is real, and so is
 * every gap of files: nothing fills it.
 */
export const UNSETTLED_BLOCKS = 64;

/**
 * When there are no blocks before the range, its first block counts as preceded by a gap; otherwise it does
 * not.
 */
const NOTHING_BEFORE = -2 * UNSETTLED_BLOCKS;
const ALL_BEFORE = Number.MAX_SAFE_INTEGER;

const lastGap = (table: BlockTable): string => `
SELECT count(), min(number), maxIf((number, toUnixTimestamp(time)),
  parent > before AND (parent - before > {unsettled:Int64} OR number + {unsettled:Int64} < {head:Int64}))
FROM
(
  SELECT number, time, parent, lagInFrame(number, 1, {before:Int64})
    OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
  FROM
  (
    SELECT toInt64(number) AS number, time, toInt64(ifNull(parent_number, number - 1)) AS parent
    FROM ${table}
    WHERE chain = {chain:String} AND number BETWEEN {from:UInt64} AND {to:UInt64} AND part = 0 AND ${VISIBLE_ROWS}
  )
)`;

const firstTime = (table: BlockTable): string => `
SELECT toUnixTimestamp(time) FROM ${table}
WHERE chain = {chain:String} AND number >= {number:UInt64} AND time > toDateTime(0, 'UTC') AND ${VISIBLE_ROWS}
ORDER BY number LIMIT 1`;

const newestBelow = (table: BlockTable): string => `
SELECT number FROM ${table}
WHERE chain = {chain:String} AND number < {number:UInt64} AND part = 0 AND ${VISIBLE_ROWS}
ORDER BY number DESC LIMIT 1`;

type Row = readonly [blocks: string, first: string, begin: readonly [number: string, time: number]];

/** The first block after a gap. Its time, or the next block's when it has none. */
export type Begin = { readonly number: number; readonly timeUnixSeconds: number };

/** Block numbers, both ends included, and the chain's newest block, in the range or after it. */
export type BlockRange = {
  readonly from: number;
  readonly to: number;
  readonly head: number;
  /** Whether the newest blocks are still arriving. */
  readonly isLive: boolean;
};

type OfTable = ReadLimits & { readonly chain: string; readonly table: BlockTable };
type Request = OfTable & BlockRange;

/**
 * The end of the last gap in a range, null when there is none, and the range's first block, null when it has
 * none. Only a range that begins with 0 shows whether there is a gap before its first block. One query, and
 * another when the block has no time.
 */
export const readLastGap = async (
  client: WarehouseClient,
  { chain, table, from, to, head, isLive, ...limits }: Request,
): Promise<{ readonly begin: Begin | null; readonly first: number | null }> => {
  const unsettled = isLive ? UNSETTLED_BLOCKS : 0;
  const params = { chain, from, to, head, unsettled, before: from === 0 ? NOTHING_BEFORE : ALL_BEFORE };
  const [row] = await askTables<Row>(client, { query: lastGap(table), params }, limits);
  const [blocks, first, [begin, time]] = row ?? ['0', '0', ['0', 0]];
  return {
    first: blocks === '0' ? null : Number(first),
    begin: await toBegin(client, { chain, table, number: Number(begin), time, ...limits }),
  };
};

type Found = OfTable & { readonly number: number };

/** The newest block before a number; null when there is none. One query for one row. */
export const readNewestBelow = async (
  client: WarehouseClient,
  { chain, table, number, ...limits }: Found,
): Promise<number | null> => {
  const question = { query: newestBelow(table), params: { chain, number } };
  const [row] = await askTables<readonly [number: string]>(client, question, limits);
  return row === undefined ? null : Number(row[0]);
};

const toBegin = async (
  client: WarehouseClient,
  { time, ...found }: Found & { readonly time: number },
): Promise<Begin | null> => {
  const { number } = found;
  // Without rows the engine returns (0, 0) as the maximum. Every chain begins at block 0.
  if (number === 0 && time === 0) return null;
  return { number, timeUnixSeconds: time || (await readFirstTime(client, found)) };
};

const readFirstTime = async (
  client: WarehouseClient,
  { chain, table, number, ...limits }: Found,
): Promise<number> => {
  const question = { query: firstTime(table), params: { chain, number } };
  const [row] = await askTables<readonly [time: number]>(client, question, limits);
  return row?.[0] ?? 0;
};
