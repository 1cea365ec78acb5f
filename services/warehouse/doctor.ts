import { askRows } from '../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from './sql-clauses.ts';
import { readTableSizes, type TableSize } from './table-sizes.ts';

/** Missing block numbers: from `after` (exclusive) to `until` (inclusive, the missing parent). */
export type BlockGap = { readonly chain: string; readonly after: number; readonly until: number };

export type ChainHealth = {
  readonly chain: string;
  readonly blocks: number;
  readonly first: number;
  readonly last: number;
  readonly gaps: number;
};

export type Diagnosis = {
  readonly chains: readonly ChainHealth[];
  /** The first gaps of each chain. */
  readonly gaps: readonly BlockGap[];
  /** Blocks with a missing part, the first of each chain. */
  readonly incomplete: readonly { chain: string; number: number; hash: string }[];
  /**
   * Blocks whose parent is in the tables with another hash, and numbers with more than one block: the first
   * of each chain.
   */
  readonly mismatched: readonly { chain: string; number: number }[];
  readonly tables: readonly TableSize[];
};

const LISTED_MAX = 100;
/** Numbers in one query, half a gibibyte. One query for twenty million would exceed the engine's memory. */
const ROWS_AT_ONCE = 500_000;

/** No block follows it. */
const NOTHING = { number: Number.MAX_SAFE_INTEGER, hash: '' };

const CHAINS = 'SELECT DISTINCT chain FROM blocks ORDER BY chain';

// Includes all parts of the last number. A block follows the previous one when it names that one's number and
// hash as its parent.
const SLICE = `
SELECT sum(found), countIf(number != before), min(number), max(number), argMax(hash, (number, hash)),
    countIf(parent_at > before), groupArraySortedIf(${LISTED_MAX})((before, parent_at), parent_at > before),
    groupArraySortedIf(${LISTED_MAX})((number, hash), lacks_part),
    groupArraySortedIf(${LISTED_MAX})(number, number = before OR parent_at = before AND parent != before_hash)
FROM (
    SELECT *, lagInFrame(number, 1, {before:Int64}) OVER in_order AS before,
        lagInFrame(hash, 1, {before_hash:String}) OVER in_order AS before_hash
    FROM (
        SELECT toInt64(number) AS number, hash, count() AS found, countDistinct(part) != any(parts) AS lacks_part,
            any(parent_hash) AS parent, toInt64(ifNull(any(parent_number), number - 1)) AS parent_at
        FROM (
            SELECT number, hash, part, parts, parent_hash, parent_number FROM blocks
            WHERE chain = {chain:String} AND number >= {from:UInt64} AND ${VISIBLE_ROWS}
            ORDER BY number LIMIT {limit:UInt32} WITH TIES
        )
        GROUP BY number, hash
    )
    WINDOW in_order AS (ORDER BY number, hash ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
)`;

// 64-bit integers arrive as text. All of these are far below 2^53.
type HealthRow = readonly [
  rows: string,
  blocks: string,
  first: string,
  last: string,
  lastHash: string,
  gapCount: string,
  gaps: readonly (readonly [after: string, until: string])[],
  incomplete: readonly (readonly [number: string, hash: string])[],
  mismatched: readonly string[],
];

/** Checks the tables: gaps by slot and block, blocks that do not fit, parts per table. */
export const diagnose = async (
  client: WarehouseClient,
  { rowsAtOnce = ROWS_AT_ONCE } = {},
): Promise<Diagnosis> => {
  const chains = await askRows<[chain: string]>(client, CHAINS);
  const found = [];
  for (const [chain] of chains) found.push(await examineChain(client, chain, rowsAtOnce));
  return {
    chains: found.flatMap(({ health }) => (health.blocks > 0 ? [health] : [])),
    gaps: found.flatMap(({ gaps }) => gaps),
    incomplete: found.flatMap(({ incomplete }) => incomplete),
    mismatched: found.flatMap(({ mismatched }) => mismatched),
    tables: await readTableSizes(client),
  };
};

const examineChain = async (client: WarehouseClient, chain: string, rowsAtOnce: number) => {
  const slices = await readSlices(client, chain, rowsAtOnce);
  const listed = <T>(of: (slice: HealthRow) => readonly T[]): T[] => slices.flatMap(of).slice(0, LISTED_MAX);
  const sum = (of: (slice: HealthRow) => string): number =>
    slices.reduce((total, slice) => total + Number(of(slice)), 0);
  const health: ChainHealth = {
    chain,
    blocks: sum(([, blocks]) => blocks),
    first: Number(slices[0]?.[2]),
    last: Number(slices.at(-1)?.[3]),
    gaps: sum(([, , , , , gapCount]) => gapCount),
  };
  return {
    health,
    gaps: listed(([, , , , , , gaps]) =>
      gaps.map(([after, until]) => ({ chain, after: Number(after), until: Number(until) })),
    ),
    incomplete: listed(([, , , , , , , incomplete]) =>
      incomplete.map(([number, hash]) => ({ chain, number: Number(number), hash })),
    ),
    mismatched: listed(([, , , , , , , , mismatched]) =>
      [...new Set(mismatched)].map((number) => ({ chain, number: Number(number) })),
    ),
  };
};

/** All blocks of a chain in slices, each after the last block of the previous one. */
const readSlices = async (client: WarehouseClient, chain: string, limit: number): Promise<HealthRow[]> => {
  const slices: HealthRow[] = [];
  let before = NOTHING;
  for (let from = 0; ; from = before.number + 1) {
    const params = { chain, from, limit, before: before.number, before_hash: before.hash };
    const [slice] = await askRows<HealthRow>(client, SLICE, params);
    if (slice === undefined || slice[0] === '0') return slices;
    slices.push(slice);
    if (Number(slice[0]) < limit) return slices;
    before = { number: Number(slice[3]), hash: slice[4] };
  }
};
