import { askRows } from '../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { OWN_DATABASES, VISIBLE_ROWS } from './sql-clauses.ts';

/**
 * A fingerprint of the rows that a table shows, in whatever order and parts: equal rows give an equal fingerprint. It
 * leaves out `sequence`, since of a block that the log holds twice either event may be stored. It also leaves out
 * rows of abandoned blocks, which a clean-up may or may not have deleted, which copy of a final block is stored, and
 * tables derived from others, which are no part of the log.
 */
export type TableFingerprint = { readonly table: string; readonly rows: number; readonly hash: string };

const TABLES = `
SELECT name, engine, name IN (
    SELECT table FROM system.columns WHERE ${OWN_DATABASES} AND name = 'sequence') AS has_events
FROM system.tables
WHERE ${OWN_DATABASES} AND engine LIKE '%MergeTree'
  AND name NOT IN ('migrations', 'retracted', 'deleted_events', 'final_blocks') AND comment != 'derived' ORDER BY name`;

type Table = readonly [name: string, engine: string, hasEvents: number];

/** One full read of every table; for rebuilds and tests, not for questions. */
export const fingerprintTables = async (client: WarehouseClient): Promise<TableFingerprint[]> => {
  const fingerprints: TableFingerprint[] = [];
  for (const [table, engine, hasEvents] of await askRows<Table>(client, TABLES)) {
    // A sum, not an exclusive or: a doubled row must show.
    const final = engine.includes('Replacing') ? 'FINAL' : '';
    const visible = hasEvents ? `WHERE ${VISIBLE_ROWS}` : '';
    const query = `SELECT count(), sum(cityHash64(toString(tuple(* EXCEPT sequence)))) FROM {table:Identifier} ${final} ${visible}`;
    const [[rows, hash] = ['0', '']] = await askRows<[string, string]>(client, query, { table });
    fingerprints.push({ table, rows: Number(rows), hash });
  }
  return fingerprints;
};

const DERIVED = `
SELECT name, match(engine, 'Replacing|Aggregating') AS merges FROM system.tables
WHERE ${OWN_DATABASES} AND engine LIKE '%MergeTree' AND comment = 'derived' ORDER BY name`;

/** Rows of each table that is derived from the others: how far they reach depends on when that was done. */
export const countDerived = async (client: WarehouseClient): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const [name, merges] of await askRows<[string, number]>(client, DERIVED)) {
    const query = `SELECT count() FROM {name:Identifier} ${merges ? 'FINAL' : ''}`;
    const [[rows] = ['0']] = await askRows<[string]>(client, query, { name });
    counts[name] = Number(rows);
  }
  return counts;
};
