import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { OWN_DATABASES } from './clauses/own-databases.ts';
import { VISIBLE_ROWS } from './clauses/visible-rows.ts';

/** Numbers without a block in the tables: from `after` (exclusive) to `until` (inclusive, the parent that is missing). */
export type Gap = { readonly chain: string; readonly after: number; readonly until: number };

export type ChainHealth = {
  readonly chain: string;
  readonly blocks: number;
  readonly first: number;
  readonly last: number;
  readonly gaps: number;
};

export type TableHealth = {
  readonly table: string;
  readonly parts: number;
  readonly rows: number;
  readonly bytes: number;
};

export type Diagnosis = {
  readonly chains: readonly ChainHealth[];
  /** The first gaps of each chain. */
  readonly gaps: readonly Gap[];
  /** Blocks of which a part is missing. */
  readonly incomplete: readonly { chain: string; number: number; hash: string }[];
  /** Blocks whose parent is in the tables under another hash, and numbers with more than one block. */
  readonly mismatched: readonly { chain: string; number: number }[];
  readonly tables: readonly TableHealth[];
};

const LISTED_MAX = 100;

// One row a block; a block follows the one before it when it names that one's number and hash as its parent.
const BLOCKS = `
SELECT chain, number, uniqExact(hash) AS hashes, any(parent_hash) AS parent, any(parent_number) AS parent_at,
    lagInFrame(toNullable(number), 1) OVER chain_order AS before, lagInFrame(any(hash), 1) OVER chain_order AS before_hash
FROM blocks WHERE ${VISIBLE_ROWS} GROUP BY chain, number
WINDOW chain_order AS (PARTITION BY chain ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`;

const GAP = 'ifNull(ifNull(parent_at, number - 1) > before, 0)';

const CHAINS = `
SELECT chain, count() AS blocks, min(number) AS first, max(number) AS last, countIf(${GAP}) AS gaps
FROM (${BLOCKS}) GROUP BY chain ORDER BY chain`;

const GAPS = `
SELECT chain, before AS after, ifNull(parent_at, number - 1) AS until
FROM (${BLOCKS}) WHERE ${GAP} ORDER BY chain, after LIMIT {limit:UInt32} BY chain`;

const INCOMPLETE = `
SELECT chain, number, hash FROM blocks WHERE ${VISIBLE_ROWS}
GROUP BY chain, number, hash HAVING countDistinct(part) != any(parts) ORDER BY chain, number LIMIT {limit:UInt32}`;

const MISMATCHED = `
SELECT chain, number FROM (${BLOCKS})
WHERE hashes > 1 OR ifNull(ifNull(parent_at, number - 1) = before AND parent != before_hash, 0)
ORDER BY chain, number LIMIT {limit:UInt32}`;

const TABLES = `
SELECT table, count() AS parts, sum(rows) AS rows, sum(bytes_on_disk) AS bytes
FROM system.parts WHERE ${OWN_DATABASES} AND active GROUP BY table ORDER BY table`;

/** Reads the health of the tables: gaps by slot and block, blocks that do not fit, parts per table. */
export const diagnose = async (client: WarehouseClient): Promise<Diagnosis> => {
  const ask = async <T extends object>(query: string): Promise<T[]> => {
    const answer = await client.query({ query, query_params: { limit: LISTED_MAX }, format: 'JSONEachRow' });
    const rows = await answer.json<Record<string, unknown>>();
    return rows.map(
      (row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, toNumber(k, v)])) as T,
    );
  };
  return {
    chains: await ask<ChainHealth>(CHAINS),
    gaps: await ask<Gap>(GAPS),
    incomplete: await ask<{ chain: string; number: number; hash: string }>(INCOMPLETE),
    mismatched: await ask<{ chain: string; number: number }>(MISMATCHED),
    tables: await ask<TableHealth>(TABLES),
  };
};

const WORDS = new Set(['chain', 'hash', 'table']);

/** 64-bit integers come quoted; all of these are far below 2^53. */
const toNumber = (name: string, value: unknown): unknown => (WORDS.has(name) ? value : Number(value));
