import type { WarehouseClient } from './warehouse.ts';

/**
 * Inserts rows into a table in which the newest row of a key counts, so that repeating an insert changes
 * nothing. Without rows it does nothing.
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
    // Equal rows are not duplicates: a value may change and change back. So none is dropped.
    clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
  });
};
