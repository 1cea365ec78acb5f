import { startEmbeddedWarehouse } from '../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { DATABASE } from '../roles/store/database.ts';
import { VISIBLE_ROWS } from '../warehouse/sql-clauses.ts';

/** What a table holds whatever the order of its rows; `amount` is null where it has no such column. */
export type TableSums = {
  readonly rows: string;
  readonly amount: string | null;
  readonly hash: string;
};

const TABLES = `
WITH (SELECT groupArray((table, name)) FROM system.columns WHERE database = currentDatabase()) AS columns
SELECT name, engine LIKE 'Replacing%', has(columns, (name, 'amount')), has(columns, (name, 'sequence'))
FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'
  AND name NOT IN ('migrations', 'retracted', 'deleted_events', 'final_blocks', 'asset_claims') AND comment != 'derived'
ORDER BY name`;

/**
 * Rows, sum of amounts and a hash of every table, without blocks that were abandoned. Without `sequence`: after a crash the
 * same block may stand at another place of the log. Without what nodes are asked about assets beside the blocks, in its
 * own time.
 */
export const sumTables = async (client: WarehouseClient): Promise<Record<string, TableSums>> => {
  const ask = async (query: string) => {
    const answer = await client.query({ query, format: 'JSONCompactEachRow' });
    return answer.json<unknown[]>();
  };
  const sums: Record<string, TableSums> = {};
  for (const [table, replacing, hasAmount, hasEvents] of await ask(TABLES)) {
    const [row] = await ask(
      `SELECT toString(count()), ${hasAmount ? 'toString(sum(amount))' : 'NULL'},
         toString(sum(cityHash64(toString(tuple(* EXCEPT sequence)))))
       FROM ${table} ${replacing ? 'FINAL' : ''} ${hasEvents ? `WHERE ${VISIBLE_ROWS}` : ''}`,
    );
    sums[String(table)] = {
      rows: String(row?.[0]),
      amount: row?.[1] === null ? null : String(row?.[1]),
      hash: String(row?.[2]),
    };
  }
  return sums;
};

/** The same of a warehouse that nobody runs at the moment. */
export const sumTablesIn = async (warehouseFolder: string): Promise<Record<string, TableSums>> => {
  const warehouse = await startEmbeddedWarehouse({ folder: warehouseFolder, database: DATABASE });
  try {
    return await sumTables(warehouse.writer);
  } finally {
    await warehouse.close();
  }
};
