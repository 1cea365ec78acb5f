import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Session } from 'chdb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { describeWarehouse } from '../warehouse.contract.ts';
import { WarehouseHeldError, WarehouseUnavailableError } from '../warehouse-errors.ts';
import { type Role, readEndpoint } from './endpoint.ts';
import {
  connectEmbeddedWarehouse,
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from './start-embedded-warehouse.ts';

const temporaryFolder = () => mkdtempSync(join(tmpdir(), 'spoor-warehouse-'));

const headersOf = (folder: string, role: Role): Record<string, string> => {
  const { username = '', password = '' } = readEndpoint(folder)?.credentials[role] ?? {};
  return { 'x-clickhouse-user': username, 'x-clickhouse-key': password };
};

describeWarehouse('embedded', async () => {
  const folder = temporaryFolder();
  const warehouse = await startEmbeddedWarehouse({ folder, database: 'spoor' });
  const headers = (role: Role) => headersOf(folder, role);
  return {
    warehouse,
    url: warehouse.url,
    writerHeaders: headers('writer'),
    readerHeaders: headers('reader'),
    analystHeaders: headers('analyst'),
    async stop() {
      await warehouse.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

describe('the folder of an embedded warehouse', () => {
  const folder = temporaryFolder();
  let warehouse: EmbeddedWarehouse;

  beforeAll(async () => {
    warehouse = await startEmbeddedWarehouse({
      folder,
      database: 'spoor',
    });
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is held: a second engine is refused with a typed error, and the first goes on', async () => {
    const second = startEmbeddedWarehouse({ folder, database: 'spoor' });
    await expect(second).rejects.toBeInstanceOf(WarehouseHeldError);
    await expect(second).rejects.toMatchObject({ code: 'warehouse_held', holderPid: warehouse.pid });
    expect((await warehouse.reader.ping({ select: true })).success).toBe(true);
  });

  test('what others can ask in the name of the engine itself reads nothing and changes nothing', async () => {
    const statements = [
      ...['SELECT 1', 'SHOW GRANTS'],
      ...[
        'SYSTEM STOP LISTEN HTTP',
        'SYSTEM START LISTEN TCP',
        'SYSTEM SHUTDOWN',
        'SELECT count() FROM system.numbers',
      ],
      ...[
        'SELECT * FROM system.one',
        "SELECT file('/etc/hostname')",
        'SET max_threads = 8',
        'SHOW TABLES FROM spoor',
      ],
      ...[
        'SELECT * FROM system.processes',
        'SELECT * FROM system.tables',
        'KILL QUERY WHERE 1',
        'SHOW DATABASES',
      ],
      ...[
        'CREATE TEMPORARY TABLE t (a UInt8)',
        'CREATE DATABASE spoor_1',
        'DROP DATABASE spoor',
        'EXPLAIN SELECT 1',
      ],
      ...[
        "SELECT * FROM file('/etc/hostname', 'LineAsString')",
        "DESCRIBE TABLE file('/etc/hostname', 'One')",
      ],
      ...[
        "INSERT INTO FUNCTION file('x', 'CSV', 'a UInt8') SELECT 1",
        'SELECT * FROM numbers(1)',
        'USE spoor',
      ],
      ...[
        "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
        "SELECT * FROM remote('127.0.0.1:1', system.one)",
      ],
      ...[
        'SELECT length(range(100000000))',
        'SELECT 1 SETTINGS max_memory_usage = 0',
        'EXECUTE AS spoor SELECT 1',
      ],
    ];
    const ways = [
      (body: string) => fetch(warehouse.url, { method: 'POST', body }),
      (body: string) => fetch(`${warehouse.url}/?user=default`, { method: 'POST', body }),
      (body: string) =>
        fetch(warehouse.url, { method: 'POST', body, headers: { 'x-clickhouse-user': 'default' } }),
    ];
    for (const ask of ways) {
      const answered: string[] = [];
      for (const statement of statements) if ((await ask(statement)).ok) answered.push(statement);
      expect(answered).toEqual(['SELECT 1', 'SHOW GRANTS', 'SELECT * FROM system.one']);
    }
    expect((await warehouse.reader.ping({ select: true })).success).toBe(true);
  });

  test('lets another command of the same user in, and nobody else', async () => {
    const guest = await connectEmbeddedWarehouse({ folder });
    expect((await guest.writer.ping({ select: true })).success).toBe(true);
    await guest.close();
    expect((await warehouse.reader.ping({ select: true })).success).toBe(true);
    expect(statSync(join(folder, 'endpoint.json')).mode & 0o077).toBe(0);
  });

  test('without an engine cannot be connected to', async () => {
    const empty = temporaryFolder();
    await expect(connectEmbeddedWarehouse({ folder: empty })).rejects.toBeInstanceOf(
      WarehouseUnavailableError,
    );
    rmSync(empty, { recursive: true, force: true });
  });

  test('keeps what was written when the engine is closed and started again', async () => {
    const own = temporaryFolder();
    const first = await startEmbeddedWarehouse({ folder: own, database: 'spoor' });
    await first.writer.command({ query: 'CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a' });
    await first.writer.command({ query: 'INSERT INTO t VALUES (7)' });
    await first.close();
    const second = await startEmbeddedWarehouse({ folder: own, database: 'spoor' });
    const answer = await second.reader.query({ query: 'SELECT a FROM t', format: 'JSONCompactEachRow' });
    expect(await answer.json()).toEqual([[7]]);
    await second.close();
    rmSync(own, { recursive: true, force: true });
  });
});

describe('an engine is started', () => {
  const folders: string[] = [];
  const newFolder = (): string => {
    const folder = temporaryFolder();
    folders.push(folder);
    return folder;
  };
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** As earlier versions kept it: chDB in the process, by a connection of its own. */
  const openAsBefore = (folder: string) => new Session(join(folder, 'data'));

  test('on the folder of an earlier version: its rows and its tokens are there', async () => {
    const folder = newFolder();
    const before = openAsBefore(folder);
    before.query('CREATE DATABASE spoor ENGINE = Atomic');
    before.query(`CREATE TABLE spoor.t (a UInt8) ENGINE = MergeTree ORDER BY a
      SETTINGS non_replicated_deduplication_window = 100`);
    const insert = (a: number) =>
      `INSERT INTO t SETTINGS insert_deduplication_token = 'batch-${a}', async_insert = 0 VALUES (${a})`;
    before.query(insert(7).replace('INTO t', 'INTO spoor.t'));
    before.close();
    const warehouse = await startEmbeddedWarehouse({ folder, database: 'spoor' });
    for (const a of [7, 8]) await warehouse.writer.command({ query: insert(a) });
    const answer = await warehouse.reader.query({
      query: 'SELECT a FROM t ORDER BY a',
      format: 'JSONCompactEachRow',
    });
    expect(await answer.json()).toEqual([[7], [8]]);
    await warehouse.close();
  });

  test('not where an earlier version still has the folder, which is said as ever', async () => {
    const folder = newFolder();
    const before = openAsBefore(folder);
    const started = startEmbeddedWarehouse({ folder, database: 'spoor' });
    // Nobody says that he is about to leave: it is waited for a while.
    await expect(Promise.race([started, sleep(2_000)])).resolves.toBeUndefined();
    before.close();
    const warehouse = await started;
    expect((await warehouse.reader.ping({ select: true })).success).toBe(true);
    await warehouse.close();
  });

  test('on no port that somebody else listens on', async () => {
    const listener = createServer();
    await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening));
    const { port } = listener.address() as AddressInfo;
    await expect(startEmbeddedWarehouse({ folder: newFolder(), database: 'spoor', port })).rejects.toThrow(
      'another process listens on the port',
    );
    listener.close();
  });

  test.each([
    ['is missing', '/nowhere/libchdb.so'],
    ['has no such entry', createRequire(import.meta.url).resolve('chdb/libchdb')],
  ])('not where the library %s: one sentence says what to do instead', async (_, path) => {
    vi.stubEnv('CHDB_LIBCHDB_PATH', path);
    const started = startEmbeddedWarehouse({ folder: newFolder(), database: 'spoor' });
    await expect(started).rejects.toBeInstanceOf(WarehouseUnavailableError);
    const { message } = (await started.catch((error: unknown) => error)) as Error;
    expect(message).toMatch(
      /^the warehouse engine does not start: .* set CLICKHOUSE_URL to use a ClickHouse server/,
    );
    expect(message).not.toContain('\n');
    vi.unstubAllEnvs();
  });
});
