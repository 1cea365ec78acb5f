import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { BodyInsert, WarehouseClient } from './warehouse.ts';

/** Inserts a body by sending it with its request. */
export const sendBody = async (
  client: Pick<WarehouseClient, 'exec'>,
  { table, format, body, settings }: BodyInsert,
): Promise<void> => {
  const { stream } = await client.exec({
    query: `INSERT INTO ${table} FORMAT ${format}`,
    values: Readable.from(body, { objectMode: false }),
    clickhouse_settings: settings,
  });
  await finished(stream.resume());
};
