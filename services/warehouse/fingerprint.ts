import { askRows } from '../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { OWN_DATABASES, VISIBLE_ROWS } from './sql-clauses.ts';

/**
 * A fingerprint of the rows that a table shows, independent of their order and parts: equal rows give an
 * equal fingerprint. Leaves out `sequence`, because either event of a block that the log contains twice may
 * be stored. Also leaves out rows of abandoned blocks (a clean-up may have deleted them), which copy of a
 * final block is stored, and derived tables, which are not part of the log.
 */
export type TableFingerprint = { readonly table: string; readonly rows: number; readonly hash: string };

const TABLES = `
SELECT name, engine, name IN (
    SELECT table FROM system.columns WHERE ${OWN_DATABASES} AND name = 'sequence') AS has_events
FROM system.tables
WHERE ${OWN_DATABASES} AND engine LIKE '%MergeTree'
  AND name NOT IN ('migrations', 'retracted', 'deleted_events', 'final_blocks') AND comment != 'derived' ORDER BY name`;

type Table = readonly [name: string, engine: string, hasEvents: number];

/** Reads every table in full. For rebuilds and tests, not for queries. */
export const fingerprintTables = async (client: WarehouseClient): Promise<TableFingerprint[]> => {
  const fingerprints: TableFingerprint[] = [];
  for (const [table, engine, hasEvents] of await askRows<Table>(client, TABLES)) {
    // A sum, not an exclusive or, so that a doubled row is visible.
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

/** Row counts of the derived tables. How far they reach depends on when they were derived. */
export const countDerived = async (client: WarehouseClient): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const [name, merges] of await askRows<[string, number]>(client, DERIVED)) {
    const query = `SELECT count() FROM {name:Identifier} ${merges ? 'FINAL' : ''}`;
    const [[rows] = ['0']] = await askRows<[string]>(client, query, { name });
    counts[name] = Number(rows);
  }
  return counts;
};
