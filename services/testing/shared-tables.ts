import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { DATABASE } from '../roles/store/database.ts';
import { migrate } from '../warehouse/migrate/migrate.ts';
import { emptyTables } from './empty-tables.ts';

export type BorrowedTables = {
  readonly warehouse: EmbeddedWarehouse;
  giveBack(): Promise<void>;
};

/** The real tables on a new engine. */
export const startTables = async (): Promise<BorrowedTables> => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-tables-'));
  const warehouse = await startEmbeddedWarehouse({ folder, database: DATABASE });
  await migrate(warehouse);
  const giveBack = async (): Promise<void> => {
    await warehouse.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { warehouse, giveBack };
};

/** How long they are kept for the next file. An engine that nobody asks costs time too. */
const KEPT_MS = 15_000;

type Shared = BorrowedTables & { readonly schema: string; readonly pid: number };
let shared: Shared | null = null;
let ending: NodeJS.Timeout | undefined;
let isBorrowed = false;

const end = async (): Promise<void> => {
  const ended = shared;
  shared = null;
  await ended?.giveBack();
};

/** All that was made in the engine but rows. */
const schemaOf = async (client: WarehouseClient): Promise<string> => {
  const query = `SELECT database, name, create_table_query FROM system.tables
    WHERE lower(database) NOT IN ('system', 'information_schema') ORDER BY ALL`;
  return (await client.query({ query, format: 'JSONCompactEachRow' })).text();
};

/** As `migrate` left them. */
const renew = async (warehouse: EmbeddedWarehouse): Promise<void> => {
  await emptyTables(warehouse.writer, { database: DATABASE });
  await warehouse.writer.command({ query: 'TRUNCATE TABLE wrapped_native' });
  await migrate(warehouse);
};

/**
 * The real tables, empty, for one test file after another of this process. Most of what a small file took was to start an
 * engine and make its tables. Giving them back throws where more than rows was changed, and the next file gets new ones.
 */
export const borrowTables = async (): Promise<BorrowedTables> => {
  if (isBorrowed)
    throw new Error('one file has the tables already: another stage needs an engine of its own');
  clearTimeout(ending);
  if (shared) await renew(shared.warehouse).catch(end);
  if (!shared) {
    const tables = await startTables();
    const { warehouse } = tables;
    shared = { ...tables, schema: await schemaOf(warehouse.writer), pid: warehouse.pid };
  }
  isBorrowed = true;
  const { warehouse, schema, pid } = shared;
  const giveBack = async (): Promise<void> => {
    isBorrowed = false;
    const found = await schemaOf(warehouse.writer).catch(() => null);
    if (found === schema && warehouse.pid === pid) {
      ending = setTimeout(() => void end(), KEPT_MS).unref();
      return;
    }
    await end();
    throw new Error('these tests change more than rows: they need an engine of their own');
  };
  return { warehouse, giveBack };
};
