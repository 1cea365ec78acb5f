import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/**
 * Block numbers that ingestion has finished, both ends included. `lastBlock` is the newest block known among
 * them; null when the chain may have skipped the last ones.
 */
export type Claim = {
  readonly chain: string;
  readonly first: number;
  readonly last: number;
  readonly lastBlock: number | null;
};

/** Numbers of which at least the last has a block that is missing from the tables. */
export type Gap = { readonly first: number; readonly last: number };

/** A gap and its neighbours, if the tables have them from the same claim. */
export type FoundGap = Gap & {
  /** The newest block before it. */
  readonly before: { readonly number: number; readonly hash: string } | null;
  /** The parent hash that the first block after it names. */
  readonly parentOfNext: string | null;
};

const LISTED_MAX = 1_000;
/** A quarter of a gibibyte. A chain produces a hundred million blocks a year. */
const NUMBERS_AT_ONCE = 1_000_000;

// When a block names a parent later than the block before it in the tables, something in between is missing.
// After the last claimed block, an artificial row names it as its parent. A block with a missing part does
// not count. The last row is always returned, because the next query continues after it.
const QUERY = `
SELECT parent > before, before + 1, parent, before_hash, named, number, hash
FROM (
    SELECT number, parent, named, hash,
        lagInFrame(number, 1, {before:Int64}) OVER in_order AS before,
        lagInFrame(hash, 1, {before_hash:String}) OVER in_order AS before_hash,
        leadInFrame(number, 1, toInt64(-1)) OVER in_order AS next
    FROM (
        SELECT toInt64(number) AS number, toInt64(ifNull(any(parent_number), number - 1)) AS parent,
            hash, any(parent_hash) AS named
        FROM blocks
        WHERE chain = {chain:String} AND number BETWEEN {first:UInt64} AND {last:UInt64} AND ${VISIBLE_ROWS}
        GROUP BY number, hash HAVING countDistinct(part) = any(parts)
        UNION ALL
        SELECT {last_block:Int64} + 1, {last_block:Int64}, '', '' WHERE {last_block:Int64} >= 0
    )
    WINDOW in_order AS (ORDER BY number ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
)
WHERE parent > before OR next = -1
ORDER BY number
LIMIT ${LISTED_MAX}`;

const NEXT_NUMBER = `
SELECT number FROM blocks WHERE chain = {chain:String} AND number >= {number:UInt64} AND ${VISIBLE_ROWS}
ORDER BY number LIMIT 1`;

type Row = readonly [
  isGap: 0 | 1,
  first: string,
  last: string,
  beforeHash: string,
  parentOfNext: string,
  number: string,
  hash: string,
];

/**
 * Claimed blocks that the tables do not have, oldest first. One query for a million numbers or a thousand
 * gaps.
 */
export async function* findGaps(
  client: WarehouseClient,
  { chain, first, last, lastBlock, ...limits }: Claim & ReadLimits,
): AsyncGenerator<FoundGap> {
  let before = { number: first - 1, hash: '' };
  for (let from = first; from <= last; ) {
    const to = Math.min(last, from + NUMBERS_AT_ONCE - 1);
    const params = {
      chain,
      first: from,
      last: to,
      before: before.number,
      before_hash: before.hash,
      last_block: to === last ? (lastBlock ?? -1) : -1,
    };
    const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
    for (const row of rows) if (row[0]) yield toGap(row);
    const end = rows.at(-1);
    if (end) before = { number: Number(end[5]), hash: end[6] };
    if (end) from = rows.length < LISTED_MAX ? to + 1 : before.number + 1;
    // Ranges without blocks are skipped at once. The last number is always checked, because a block may be
    // claimed there.
    else if (to === last) return;
    else from = Math.min(last, (await readNextNumber(client, { chain, number: to + 1, ...limits })) ?? last);
  }
}

/** The number of the first block from a number on; null when there is none. One query for one row. */
const readNextNumber = async (
  client: WarehouseClient,
  { chain, number, ...limits }: ReadLimits & { readonly chain: string; readonly number: number },
): Promise<number | null> => {
  const question = { query: NEXT_NUMBER, params: { chain, number } };
  const [row] = await askTables<readonly [number: string]>(client, question, limits);
  return row === undefined ? null : Number(row[0]);
};

const toGap = ([, first, last, beforeHash, parentOfNext]: Row): FoundGap => ({
  first: Number(first),
  last: Number(last),
  before: beforeHash === '' ? null : { number: Number(first) - 1, hash: beforeHash },
  parentOfNext: parentOfNext || null,
});
