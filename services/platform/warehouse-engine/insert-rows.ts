import type { WarehouseClient } from './warehouse.ts';

/**
 * Inserts rows of a table in which the newest of a key counts, so that repeating an insert changes nothing. No rows, no
 * insert.
 */
export const insertRows = async (
  client: Pick<WarehouseClient, 'insert'>,
  table: string,
  values: readonly object[],
): Promise<void> => {
  if (values.length === 0) return;
  await client.insert({
    table,
    values,
    format: 'JSONEachRow',
    // Rows equal to earlier ones may say something again that was different in between: none is dropped as a repetition.
    clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
  });
};
