import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';

/** Empties the tables of a database whose comment is like this, but for what migrations wrote into them. */
export const emptyTables = async (
  writer: WarehouseClient,
  { database, comment = '%' }: { database: string; comment?: string },
): Promise<void> => {
  const answer = await writer.query({
    query: `SELECT name FROM system.tables WHERE database = {database:String} AND comment LIKE {comment:String}
      AND engine LIKE '%MergeTree' AND name NOT IN ('migrations', 'wrapped_native')
      AND name IN (SELECT table FROM system.parts WHERE database = {database:String} AND active)`,
    query_params: { database, comment },
    format: 'JSONCompactEachRow',
  });
  for (const [name] of await answer.json<[string]>())
    await writer.command({
      query: 'TRUNCATE TABLE {database:Identifier}.{name:Identifier}',
      query_params: { database, name },
    });
};
