import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/**
 * Numbers that ingestion says it is done with, both ends included. `lastBlock` is the newest block known to be in them;
 * null where the chain may have skipped the last ones.
 */
export type Claim = {
  readonly chain: string;
  readonly first: number;
  readonly last: number;
  readonly lastBlock: number | null;
};

/** Numbers of which at least the last has a block that is not in the tables. */
export type Gap = { readonly first: number; readonly last: number };

/** A gap and what it lies between, where the tables hold that of the same claim. */
export type FoundGap = Gap & {
  /** The newest block before it. */
  readonly before: { readonly number: number; readonly hash: string } | null;
  /** The hash that the first block behind it names as its parent's. */
  readonly parentOfNext: string | null;
};

const LISTED_MAX = 1_000;
/** A quarter of a gibibyte; a chain makes a hundred million blocks a year. */
const NUMBERS_AT_ONCE = 1_000_000;

// A block that names a parent later than the block before it, here, says that something between them is missing. Behind
// the last block that was claimed stands a row that names it as its parent. A block that lacks a part is no block.
// The last row is told whether or not there is a gap before it: behind it the next question goes on.
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

/** Blocks of a claim that the tables do not hold, oldest first; a million numbers or a thousand gaps a query. */
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
    // Ranges without blocks are skipped at once. The last number is always looked at, since a block may be claimed
    // there.
    else if (to === last) return;
    else from = Math.min(last, (await readNextNumber(client, { chain, number: to + 1, ...limits })) ?? last);
  }
}

/** The number of the first block from one on; null where there is none. One query, one block of rows. */
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
