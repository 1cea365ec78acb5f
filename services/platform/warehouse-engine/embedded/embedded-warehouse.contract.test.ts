import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type ClientRequest, get, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeWarehouse } from '../warehouse.contract.ts';
import { WarehouseHeldError, WarehouseUnavailableError } from '../warehouse-errors.ts';
import { readEndpoint } from './endpoint.ts';
import {
  connectEmbeddedWarehouse,
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from './start-embedded-warehouse.ts';

const temporaryFolder = () => mkdtempSync(join(tmpdir(), 'spoor-warehouse-'));

describeWarehouse('embedded', {
  hasOwnWalls: true,
  async start() {
    const folder = temporaryFolder();
    const warehouse = await startEmbeddedWarehouse({ folder, database: 'spoor' });
    const credentials = readEndpoint(folder)?.credentials;
    const headers = (role: 'writer' | 'reader') => ({
      'x-clickhouse-user': role,
      'x-clickhouse-key': credentials?.[role].password ?? '',
    });
    return {
      warehouse,
      url: warehouse.url,
      writerHeaders: headers('writer'),
      readerHeaders: headers('reader'),
      async stop() {
        await warehouse.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});

describe('the folder of an embedded warehouse', () => {
  const folder = temporaryFolder();
  let warehouse: EmbeddedWarehouse;

  beforeAll(async () => {
    warehouse = await startEmbeddedWarehouse({
      folder,
      database: 'spoor',
      limits: { insertBytesMax: 1_000_000, heavySlots: 1, stalledSecondsMax: 1, preparedSecondsMax: 0 },
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

  test('never takes more of one insert than its limit', async () => {
    await warehouse.writer.command({ query: 'CREATE TABLE s (s String) ENGINE = Memory' });
    const values = [{ s: 'x'.repeat(1_200_000) }];
    await expect(
      warehouse.writer.insert({ table: 's', values, format: 'JSONEachRow' }),
    ).rejects.toMatchObject({
      code: '167',
    });
  });

  test('bodies are handed over by files of which none stays, refused ones neither', async () => {
    await warehouse.writer.command({ query: 'CREATE TABLE n (n UInt8) ENGINE = Memory' });
    const insert = { table: 'n', format: 'RowBinary', settings: {} };
    await warehouse.insertBody({ ...insert, body: [Buffer.from([1]), Buffer.from([2])] });
    await expect(
      warehouse.insertBody({ ...insert, table: 'nowhere', body: [Buffer.of(1)] }),
    ).rejects.toMatchObject({
      code: '60',
    });
    expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
    const answer = await warehouse.reader.query({ query: 'SELECT n FROM n', format: 'JSONCompactEachRow' });
    expect(await answer.json()).toEqual([[1], [2]]);
  });

  test('nobody is handed a file but writers, and they none that lies elsewhere', async () => {
    await warehouse.writer.command({ query: 'CREATE TABLE l (l String) ENGINE = Memory' });
    writeFileSync(join(folder, 'incoming', 'there'), 'row\n');
    const credentials = readEndpoint(folder)?.credentials;
    const insert = async (role: 'reader' | 'analyst' | 'writer', name: string) => {
      const answer = await fetch(`${warehouse.url}/?database=spoor`, {
        method: 'POST',
        headers: {
          'x-clickhouse-user': role,
          'x-clickhouse-key': credentials?.[role].password ?? '',
          'x-spoor-body': name,
        },
        body: 'INSERT INTO l FORMAT LineAsString',
      });
      return answer.headers.get('x-clickhouse-exception-code');
    };
    for (const role of ['reader', 'analyst'] as const) expect(await insert(role, 'there')).not.toBeNull();
    for (const name of ['../endpoint.json', '/etc/hostname', '*', '', 'a/b', 'x'.repeat(65)])
      expect(await insert('writer', name), name).toBe('36');
    expect(await insert('writer', 'not-there')).not.toBeNull();
    expect(await insert('writer', 'there')).toBeNull();
    const answer = await warehouse.reader.query({ query: 'SELECT l FROM l', format: 'JSONCompactEachRow' });
    expect(await answer.json()).toEqual([['row']]);
    rmSync(join(folder, 'incoming', 'there'));
  });

  test('no address ends the engine, nor a name that no header can hold', async () => {
    const { url, pid } = warehouse;
    const answers = ['//', '//?query=SELECT+1', '/?query_id=%0A', '/?query=SELECT+1&query_id=%E2%82%AC'].map(
      async (address) => (await fetch(`${url}${address}`)).status,
    );
    expect(await Promise.all(answers)).toEqual([400, 400, 401, 401]);
    expect(warehouse.pid).toBe(pid);
  });

  test('a body that breaks off while its insert waits ends nothing but that', async () => {
    const { pid, writer } = warehouse;
    await writer.command({ query: 'CREATE TABLE w (w String) ENGINE = Memory' });
    const { username, password } = readEndpoint(folder)?.credentials.writer ?? {};
    const query = encodeURIComponent('INSERT INTO w FORMAT LineAsString');
    const begin = async (): Promise<ClientRequest> => {
      const begun = request(`${warehouse.url}/?database=spoor&query=${query}`, {
        method: 'POST',
        auth: `${username}:${password}`,
      });
      begun.on('error', () => {});
      await new Promise((resolve) => begun.write('half a row', resolve));
      return begun;
    };
    // Those before it hold both places of inserts.
    const inserts = [await begin(), await begin()];
    await expect.poll(() => readdirSync(join(folder, 'incoming')).length).toBe(2);
    const waiting = await begin();
    await sleep(200);
    waiting.destroy();
    await sleep(200);
    for (const insert of inserts) insert.end();
    await Promise.all(inserts.map((insert) => once(insert, 'response')));
    expect(warehouse.pid).toBe(pid);
  });

  test('an analyst who stops reading a result gives up the place for the next', async () => {
    const { host, password } = new URL(warehouse.analystUrl);
    const url = `http://${host}/?query=${encodeURIComponent("SELECT number, repeat('x', 1000) FROM numbers(1000000)")}`;
    const headers = { authorization: `Basic ${btoa(`analyst:${password}`)}` };
    const [stalled] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
    stalled.on('error', () => {});
    await once(stalled, 'readable');
    const answer = await warehouse.writer.query({
      query: 'SELECT 1',
      format: 'JSONCompactEachRow',
      clickhouse_settings: { priority: '1' },
    });
    expect(await answer.json()).toEqual([[1]]);
    stalled.destroy();
  });

  test('what a reader asks with limits of its own is answered from memory where they are not reached', async () => {
    const { host, password } = new URL(warehouse.analystUrl);
    const ask = async (rows: number) => {
      const url = `http://${host}/?max_result_rows=1000&max_block_size=100&result_overflow_mode=break`;
      const answer = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`analyst:${password}`)}` },
        body: `SELECT number, 'result_overflow_mode' FROM numbers(${rows})`,
      });
      const lines = (await answer.text()).trimEnd().split('\n').length;
      return { lines, summary: JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '') };
    };
    expect(await ask(1_000)).toMatchObject({ lines: 1_000, summary: { read_rows: '1000' } });
    // A stream begins before anybody has counted, and ends where a limit is reached.
    const cut = await ask(100_000);
    expect(cut.summary).toEqual({});
    expect(cut.lines).toBeGreaterThanOrEqual(1_000);
    expect(cut.lines).toBeLessThan(2_000);
  });

  test('subqueries of a large result are not computed where nobody else is served meanwhile', async () => {
    const large = (source: string) => `SELECT repeat(toString(number % 10), 1000) FROM ${source}`;
    const read = async (query: string) =>
      (await warehouse.reader.query({ query, format: 'TabSeparated' })).text();
    await expect(read(large('(SELECT number FROM numbers(20000))'))).rejects.toMatchObject({ code: '396' });
    expect((await read(large('numbers(20000)'))).length).toBe(20_000 * 1_001);
  });

  test('an analyst is a reader with a place of its own to wait', async () => {
    const url = new URL(warehouse.analystUrl);
    const ask = (query: string) =>
      fetch(`${url.origin}/?query=${encodeURIComponent(query)}`, {
        headers: { authorization: `Basic ${btoa(`${url.username}:${url.password}`)}` },
      });
    expect(await (await ask('SELECT 41 + 1')).text()).toBe('42\n');
    expect((await ask("SELECT file('/etc/hostname')")).status).toBe(403);
  });
});
