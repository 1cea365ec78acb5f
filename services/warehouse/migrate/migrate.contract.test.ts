import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { type Migration, migrate, readMigrations } from './migrate.ts';

const folder = mkdtempSync(join(tmpdir(), 'spoor-migrate-'));
let warehouse: EmbeddedWarehouse;

beforeAll(async () => {
  warehouse = await startEmbeddedWarehouse({ folder, database: 'spoor' });
});
afterAll(async () => {
  await warehouse.close();
  rmSync(folder, { recursive: true, force: true });
});

const tablesOf = async (database: string) => {
  const answer = await warehouse.writer.query({
    query: `SELECT name, replaceAll(create_table_query, {database:String}, '') FROM system.tables
      WHERE database = {database:String} ORDER BY name`,
    query_params: { database },
    format: 'JSONCompactEachRow',
  });
  return answer.json<[string, string]>();
};

const target = (database: string) => ({ writer: warehouse.writer, database });
const WRAPPED =
  'CREATE TABLE IF NOT EXISTS {database:Identifier}.wrapped_native (chain String, asset String) ENGINE = Memory;';
const migration = (number: number, sql: string): Migration => ({
  number,
  name: 'test',
  sql: `${WRAPPED}\n${sql}`,
  checksum: sql,
});

test('migrations run once and are remembered', async () => {
  expect((await migrate(warehouse)).map(({ number }) => number)).toEqual(
    readMigrations().map(({ number }) => number),
  );
  expect(await migrate(warehouse)).toEqual([]);
});

/** What one run fills for itself, and what each start says again. */
const NOT_ON_DISK = [
  ...['alike_addresses', 'deposit_candidates', 'new_payers', 'priced_trades', 'touched_hours'],
  'wrapped_native',
];

test('what an insert has confirmed is on disk, facts too, before it is noted how far they reach', async () => {
  const answer = await warehouse.writer.query({
    query: `SELECT name FROM system.tables WHERE database = 'spoor' AND engine LIKE '%MergeTree'
      AND NOT (engine_full LIKE '%fsync_after_insert = 1%' AND engine_full LIKE '%fsync_part_directory = 1%')
      ORDER BY name`,
    format: 'JSONCompactEachRow',
  });
  expect((await answer.json<[string]>()).flat()).toEqual(NOT_ON_DISK);
});

test('another database gets the same tables, for a rebuild beside the one in use', async () => {
  await migrate(target('spoor_next'));
  const next = await tablesOf('spoor_next');
  expect(next.map(([name]) => name)).toContain('account_entries');
  expect(next).toEqual(await tablesOf('spoor'));
});

test('every migration can run again over its own result, as it does after it was cut off', async () => {
  await migrate(target('spoor_again'));
  const before = await tablesOf('spoor_again');
  await warehouse.writer.command({ query: 'TRUNCATE TABLE spoor_again.migrations' });
  expect(await migrate(target('spoor_again'))).toHaveLength(readMigrations().length);
  expect(await tablesOf('spoor_again')).toEqual(before);
});

test('a migration that was cut off in the middle is finished by the next start', async () => {
  const good = 'CREATE TABLE IF NOT EXISTS {database:Identifier}.one (a UInt8) ENGINE = Memory;';
  const broken = [migration(1, `${good}\nCREATE TABLE {database:Identifier}.two (nonsense;`)];
  await expect(migrate(target('spoor_cut'), broken)).rejects.toMatchObject({ code: '62' });
  const whole = [
    migration(1, `${good}\nCREATE TABLE IF NOT EXISTS {database:Identifier}.two (a UInt8) ENGINE = Memory;`),
  ];
  expect(await migrate(target('spoor_cut'), whole)).toHaveLength(1);
  expect((await tablesOf('spoor_cut')).map(([name]) => name)).toEqual([
    'migrations',
    'one',
    'two',
    'wrapped_native',
  ]);
});

test('a database that newer code made is refused', async () => {
  const first = migration(1, 'SELECT 1');
  await migrate(target('spoor_newer'), [first, migration(2, 'SELECT 2')]);
  await expect(migrate(target('spoor_newer'), [first])).rejects.toMatchObject({ code: 'database_newer' });
});

test('a migration that was edited after it ran is refused', async () => {
  await migrate(target('spoor_edited'), [migration(1, 'SELECT 1')]);
  await expect(migrate(target('spoor_edited'), [migration(1, 'SELECT 2')])).rejects.toMatchObject({
    code: 'migration_changed',
  });
});
