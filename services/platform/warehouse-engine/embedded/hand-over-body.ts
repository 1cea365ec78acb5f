import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BodyInsert, WarehouseClient } from '../warehouse.ts';
import { BODY_HEADER, INCOMING } from './incoming.ts';

/**
 * Inserts a body by a file: the engine lies on our disk and reads bodies from files anyway, so that sending it would only
 * copy it three times more. Nothing of the file stays, whatever becomes of the insert.
 */
export const handOverBody = async (
  client: Pick<WarehouseClient, 'command'>,
  folder: string,
  { table, format, body, settings }: BodyInsert,
): Promise<void> => {
  const name = randomUUID();
  const path = join(folder, INCOMING, name);
  try {
    await writeWhole(path, body);
    await client.command({
      query: `INSERT INTO ${table} FORMAT ${format}`,
      http_headers: { [BODY_HEADER]: name },
      clickhouse_settings: settings,
    });
  } finally {
    await rm(path, { force: true });
  }
};

const writeWhole = async (path: string, pieces: readonly Buffer[]): Promise<void> => {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const file = await open(path, 'wx', 0o600);
  try {
    const { bytesWritten } = await file.writev(pieces);
    if (bytesWritten !== bytes)
      throw new Error(`only ${bytesWritten} of ${bytes} bytes of an insert were written`);
  } finally {
    await file.close();
  }
};
