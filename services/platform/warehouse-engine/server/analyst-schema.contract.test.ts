import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type EmbeddedWarehouse, startEmbeddedWarehouse } from '../embedded/start-embedded-warehouse.ts';
import type { Configuration } from '../embedded/to-xml.ts';

const FILES = new URL('../../../../infra/clickhouse/optional/', import.meta.url);
const read = (file: string) => parse(readFileSync(new URL(file, FILES), 'utf8')) as Configuration;
type Users = {
  readonly users: { readonly analyst_own: Configuration };
  readonly quotas: { readonly spoor_analyst_own: { readonly interval: Configuration } };
} & Configuration;

const PASSWORD = 'of the test';
const WRITTEN_BYTES = 2_000_000;

/** The file with a password of the test, and with less to write in a day. */
const usersOf = ({ users, quotas, ...file }: Users): Configuration => {
  const { password: _, ...user } = users.analyst_own;
  const { interval } = quotas.spoor_analyst_own;
  return {
    ...file,
    users: { analyst_own: { ...user, password: PASSWORD } },
    quotas: { spoor_analyst_own: { interval: { ...interval, written_bytes: WRITTEN_BYTES } } },
  };
};

const folder = mkdtempSync(join(tmpdir(), 'spoor-analyst-schema-'));
let engine: EmbeddedWarehouse;
beforeAll(async () => {
  engine = await startEmbeddedWarehouse({
    ...{ folder, database: 'spoor', configuration: read('config.d/analyst-schema.yaml') },
    users: usersOf(read('users.d/analyst-schema.yaml') as Users),
  });
  for (const query of [
    'CREATE TABLE spoor.guarded (a UInt32, b String) ENGINE = MergeTree ORDER BY a',
    "INSERT INTO spoor.guarded VALUES (1, 'one')",
    'CREATE DATABASE spoor_analyst',
    'CREATE VIEW spoor_analyst.shown DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT a FROM spoor.guarded',
  ])
    await engine.writer.command({ query });
});
afterAll(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (query: string) => {
  const headers = { 'x-clickhouse-user': 'analyst_own', 'x-clickhouse-key': PASSWORD };
  const answer = await fetch(engine.url, { method: 'POST', headers, body: query });
  return { code: answer.headers.get('x-clickhouse-exception-code'), text: (await answer.text()).trim() };
};

test('dbt finds what it needs: a database, views and tables from the views, swapped, added to and dropped', async () => {
  for (const query of [
    'CREATE DATABASE IF NOT EXISTS analyst_own',
    'CREATE VIEW analyst_own.doubled AS SELECT 2 * a AS a FROM spoor_analyst.shown',
    'CREATE TABLE analyst_own.kept ENGINE = MergeTree ORDER BY tuple() AS SELECT a FROM analyst_own.doubled',
    'CREATE TABLE analyst_own.next (a UInt64) ENGINE = ReplacingMergeTree ORDER BY a',
    'INSERT INTO analyst_own.next SELECT a + 1 FROM analyst_own.kept',
    'EXCHANGE TABLES analyst_own.kept AND analyst_own.next',
    'RENAME TABLE analyst_own.next TO analyst_own.before',
    "ALTER TABLE analyst_own.kept ADD COLUMN b String DEFAULT ''",
    'DROP TABLE analyst_own.before',
    'CREATE OR REPLACE VIEW analyst_own.doubled AS SELECT 4 * a AS a FROM spoor_analyst.shown',
  ])
    expect(await ask(query), query).toMatchObject({ code: null });
  expect(await ask('SELECT (SELECT a FROM analyst_own.kept), a FROM analyst_own.doubled')).toEqual({
    code: null,
    text: '3\t4',
  });
});

const ACCESS_DENIED = '497';

test('nothing outside of it can be read or changed, by any engine, view or function', async () => {
  const passed: string[] = [];
  for (const query of [
    'SELECT * FROM spoor.guarded',
    'INSERT INTO spoor.guarded SELECT 2',
    'DROP TABLE spoor.guarded',
    'TRUNCATE TABLE spoor.guarded',
    'DROP DATABASE spoor',
    'DROP DATABASE analyst_own',
    'CREATE TABLE spoor.mine (a UInt8) ENGINE = MergeTree ORDER BY a',
    'CREATE VIEW spoor_analyst.mine AS SELECT 1',
    'DROP VIEW spoor_analyst.shown',
    'CREATE DATABASE other',
    'CREATE VIEW analyst_own.v AS SELECT * FROM spoor.guarded',
    'CREATE VIEW analyst_own.v DEFINER = spoor SQL SECURITY DEFINER AS SELECT * FROM spoor.guarded',
    'CREATE VIEW analyst_own.v SQL SECURITY NONE AS SELECT * FROM spoor.guarded',
    'CREATE TABLE analyst_own.t AS spoor.guarded',
    'CREATE TABLE analyst_own.t ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM spoor.guarded',
    'RENAME TABLE spoor.guarded TO analyst_own.t',
    'EXCHANGE TABLES analyst_own.kept AND spoor.guarded',
    'ALTER TABLE analyst_own.kept ATTACH PARTITION tuple() FROM spoor.guarded',
    'ALTER TABLE analyst_own.kept MOVE PARTITION tuple() TO TABLE spoor.guarded',
    "CREATE TABLE analyst_own.t (a UInt32) ENGINE = Merge('spoor', 'guarded')",
    "CREATE TABLE analyst_own.t (a UInt32) ENGINE = Buffer('spoor', 'guarded', 1, 1, 1, 1, 1, 1, 1)",
    "CREATE TABLE analyst_own.t (a UInt32) ENGINE = Distributed('default', 'spoor', 'guarded')",
    "CREATE TABLE analyst_own.t (a String) ENGINE = URL('http://127.0.0.1:1/', 'LineAsString')",
    "CREATE TABLE analyst_own.t (a String) ENGINE = File('LineAsString')",
    "CREATE TABLE analyst_own.t (a String) ENGINE = S3('http://127.0.0.1:1/a', 'LineAsString')",
    'CREATE TABLE analyst_own.t (a UInt8) ENGINE = Memory',
    'CREATE MATERIALIZED VIEW analyst_own.m TO spoor.guarded AS SELECT a FROM analyst_own.kept',
    "SELECT * FROM merge('spoor', 'guarded')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT * FROM remote('127.0.0.1:1', 'spoor', 'guarded')",
    "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    'CREATE DICTIONARY analyst_own.d (a UInt64) PRIMARY KEY a SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)',
    'CREATE FUNCTION mine AS x -> x',
    'CREATE USER other',
    'GRANT SELECT ON spoor.* TO analyst_own',
    'EXECUTE AS spoor SELECT 1',
    'SYSTEM SHUTDOWN',
    'SYSTEM STOP MERGES spoor.guarded',
    'KILL QUERY WHERE 1',
    'BACKUP TABLE analyst_own.kept TO Null',
    'SELECT 1 SETTINGS max_memory_usage = 0',
    'SELECT 1 SETTINGS max_execution_time = 0',
    'SELECT 1 SETTINGS priority = 0',
  ]) {
    const { code, text } = await ask(query);
    if (code === null) passed.push(`${query} => ${text.slice(0, 200)}`);
  }
  expect(passed).toEqual([]);
  expect(await ask('SELECT count() FROM spoor.guarded')).toMatchObject({ code: ACCESS_DENIED });
  const rows = await engine.writer.query({
    query: 'SELECT a FROM spoor.guarded',
    format: 'JSONCompactEachRow',
  });
  expect(await rows.json()).toEqual([[1]]);
});

const QUOTA_EXCEEDED = '201';

test('who has written as much as the quota says writes no more that day, and still reads', async () => {
  const fill = (rows: number) => ask(`INSERT INTO analyst_own.kept (a) SELECT number FROM numbers(${rows})`);
  expect(await fill(1_000)).toMatchObject({ code: null });
  const codes: (string | null)[] = [];
  for (let times = 0; times < 4; times++) codes.push((await fill(100_000)).code);
  expect(codes.at(-1)).toBe(QUOTA_EXCEEDED);
  expect(await ask('SELECT count() > 0 FROM analyst_own.kept')).toEqual({ code: null, text: '1' });
});
