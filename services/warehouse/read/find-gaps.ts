import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../clauses/visible-rows.ts';
import { askTables } from './ask-tables.ts';

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

// A block that names a parent later than the block before it, here, says that something between them is missing. Behind
// the last block that was claimed stands a row that names it as its parent. A block that lacks a part is no block.
const QUERY = `
SELECT before + 1, parent, before_hash, named
FROM (
    SELECT number, parent, named,
        lagInFrame(number, 1, {first:Int64} - 1) OVER in_order AS before,
        lagInFrame(hash, 1, '') OVER in_order AS before_hash
    FROM (
        SELECT toInt64(number) AS number, toInt64(ifNull(any(parent_number), number - 1)) AS parent,
            hash, any(parent_hash) AS named
        FROM blocks
        WHERE chain = {chain:String} AND number BETWEEN {first:UInt64} AND {last:UInt64} AND ${VISIBLE_ROWS}
        GROUP BY number, hash HAVING countDistinct(part) = any(parts)
        UNION ALL
        SELECT {last_block:Int64} + 1, {last_block:Int64}, '', '' WHERE {last_block:Int64} >= 0
    )
    WINDOW in_order AS (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
)
WHERE parent > before
ORDER BY before
LIMIT ${LISTED_MAX}`;

type Row = readonly [first: string, last: string, beforeHash: string, parentOfNext: string];

/** What of a claim the tables do not hold, oldest first; a thousand gaps a question. */
export async function* findGaps(
  client: WarehouseClient,
  { chain, first, last, lastBlock, ...limits }: Claim & ReadLimits,
): AsyncGenerator<FoundGap> {
  for (let from = first; ; ) {
    const params = { chain, first: from, last, last_block: lastBlock ?? -1 };
    const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
    const gaps = rows.map(toGap);
    yield* gaps;
    const newest = gaps.at(-1);
    if (!newest || gaps.length < LISTED_MAX) return;
    from = newest.last + 1;
  }
}

const toGap = ([first, last, beforeHash, parentOfNext]: Row): FoundGap => ({
  first: Number(first),
  last: Number(last),
  before: beforeHash === '' ? null : { number: Number(first) - 1, hash: beforeHash },
  parentOfNext: parentOfNext || null,
});
