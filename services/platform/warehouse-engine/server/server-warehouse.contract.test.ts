import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readEndpoint } from '../embedded/endpoint.ts';
import { type EmbeddedWarehouse, startEmbeddedWarehouse } from '../embedded/start-embedded-warehouse.ts';
import { WarehouseRefusedError } from '../warehouse-errors.ts';
import { connectServerWarehouse } from './connect-server-warehouse.ts';

const folder = mkdtempSync(join(tmpdir(), 'spoor-server-'));
let engine: EmbeddedWarehouse;
const urlOf = (role: 'writer' | 'reader', password?: string): string => {
  const url = new URL(engine.url);
  const login = readEndpoint(folder)?.credentials[role];
  url.username = login?.username ?? '';
  url.password = password ?? login?.password ?? '';
  return url.href;
};

beforeAll(async () => {
  engine = await startEmbeddedWarehouse({ folder, database: 'spoor' });
});
afterAll(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a server is written to and asked under the users of its addresses, and runs on afterwards', async () => {
  const server = await connectServerWarehouse({
    urls: [urlOf('writer')],
    readerUrls: [urlOf('reader')],
    database: 'spoor',
    cluster: null,
    makesDatabase: true,
  });
  await server.writer.command({ query: 'CREATE TABLE seen (n UInt8) ENGINE = MergeTree ORDER BY n' });
  await server.writer.insert({ table: 'seen', values: [{ n: 7 }], format: 'JSONEachRow' });
  const answer = await server.reader.query({ query: 'SELECT n FROM seen', format: 'JSONCompactEachRow' });
  expect(await answer.json()).toEqual([[7]]);
  await expect(server.reader.command({ query: 'DROP TABLE seen' })).rejects.toThrow();
  await server.close();
  expect((await engine.reader.ping({ select: true })).success).toBe(true);
});

test('with one address only, every question and no insert is sent as one that may not write', async () => {
  const asked: string[] = [];
  const listener = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('1\n');
  });
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening));
  const { port } = listener.address() as AddressInfo;
  const server = await connectServerWarehouse({
    urls: [`http://spoor:x@127.0.0.1:${port}`],
    readerUrls: null,
    database: 'spoor',
    cluster: null,
    makesDatabase: false,
  });
  asked.length = 0;
  await (await server.reader.query({ query: 'SELECT 1', format: 'TabSeparated' })).text();
  await server.writer.command({ query: 'SELECT 1' });
  expect(asked.map((url) => new URLSearchParams(url).get('readonly'))).toEqual(['2', null]);
  await server.close();
  listener.close();
});

/** What a ClickHouse server takes of one parameter unless it is set up otherwise (`http_max_field_value_size`). */
const FIELD_BYTES_MAX = 131_072;
const fieldsOf = (contentType: string, body: string): string[] => {
  const boundary = /boundary=(.+)$/.exec(contentType)?.[1];
  return boundary ? body.split(`--${boundary}`).map((part) => part.split('\r\n\r\n')[1] ?? '') : [];
};

/** Stands before the engine, and passes on what `meets` leaves to it. */
const startProxy = async (
  meets: (request: IncomingMessage, body: Buffer, response: ServerResponse) => 'passed_on' | 'answered',
): Promise<{ urlOf(role: 'writer' | 'reader'): string }> => {
  const proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    if (meets(request, body, response) === 'answered') return;
    const { method, headers, url } = request;
    const forwarded = send(new URL(url ?? '/', engine.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.end(body);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    proxy.close();
  });
  return {
    urlOf: (role) => {
      const url = new URL(urlOf(role));
      url.port = String((proxy.address() as AddressInfo).port);
      return url.href;
    },
  };
};

test('lists longer than a server takes as one parameter are answered whole', async () => {
  let longest = 0;
  const proxy = await startProxy(({ headers }, body) => {
    const fields = fieldsOf(headers['content-type'] ?? '', body.toString('latin1'));
    longest = Math.max(longest, ...fields.map((field) => field.length));
    return 'passed_on';
  });
  const server = await connectServerWarehouse({
    ...{ urls: [proxy.urlOf('writer')], readerUrls: [proxy.urlOf('reader')], database: 'spoor' },
    ...{ cluster: null, makesDatabase: false },
  });
  const wallets = Array.from({ length: 9_000 }, (_, n) => `${n}`.padStart(44, n % 2 ? "'" : 'é'));
  const answer = await server.reader.query({
    query: `SELECT count(), sum({weights:Array(UInt64)}[indexOf({wallets: Array(String)}, wallet)])
      FROM (SELECT arrayJoin({wallets:Array(String)}) AS wallet) WHERE wallet IN {wallets:Array(String)}`,
    query_params: { wallets, weights: wallets.map((_, n) => 1e15 + n) },
    format: 'JSONCompactEachRow',
  });
  expect(await answer.json()).toEqual([['9000', String(9_000n * 10n ** 15n + (8_999n * 9_000n) / 2n)]]);
  expect(longest).toBeGreaterThan(FIELD_BYTES_MAX / 2);
  expect(longest).toBeLessThanOrEqual(FIELD_BYTES_MAX);
  await server.close();
});

test('an answer that its server begins and does not end is read from the next one', async () => {
  let cuts = 0;
  const breaking = await startProxy((_, body, response) => {
    if (!body.includes('numbers')) return 'passed_on';
    cuts += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('[0]\n[1', () => response.destroy());
    return 'answered';
  });
  const server = await connectServerWarehouse({
    urls: [urlOf('writer')],
    readerUrls: [breaking.urlOf('reader'), urlOf('reader')],
    ...{ database: 'spoor', cluster: null, makesDatabase: true },
  });
  const ask = () =>
    server.reader.query({ query: 'SELECT number FROM numbers(3)', format: 'JSONCompactEachRow' });
  expect(await (await ask()).json()).toEqual([['0'], ['1'], ['2']]);
  expect(await (await ask()).text()).toBe('["0"]\n["1"]\n["2"]\n');
  expect(cuts).toBeGreaterThan(0);
  await server.close();
});

test('a wrong password is refused, a server that is not there is unavailable and says why, and neither names the password', async () => {
  const connect = (url: string) =>
    connectServerWarehouse({
      urls: [url],
      readerUrls: null,
      database: 'spoor',
      cluster: null,
      makesDatabase: true,
    });
  const wrong = connect(urlOf('writer', 'sesame-1234'));
  await expect(wrong).rejects.toThrow(WarehouseRefusedError);
  const gone = connect('http://writer:sesame-1234@127.0.0.1:1');
  for (const refused of [wrong, gone]) {
    const error: unknown = await refused.catch((reason: unknown) => reason);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('sesame-1234');
  }
  await expect(gone).rejects.toMatchObject({
    code: 'warehouse_unavailable',
    message: expect.stringContaining('ECONNREFUSED 127.0.0.1:1'),
  });
});

test('a server that is killed under questions and inserts is not missed where a second one has its tables', async () => {
  const otherFolder = mkdtempSync(join(tmpdir(), 'spoor-server-'));
  const other = await startEmbeddedWarehouse({ folder: otherFolder, database: 'spoor' });
  onTestFinished(async () => {
    await other.close();
    rmSync(otherFolder, { recursive: true, force: true });
  });
  const make = 'CREATE TABLE IF NOT EXISTS kept (n UInt32) ENGINE = MergeTree ORDER BY n';
  for (const { writer } of [engine, other]) await writer.command({ query: make });
  const second = (role: 'writer' | 'reader'): string => {
    const { username = '', password = '' } = readEndpoint(otherFolder)?.credentials[role] ?? {};
    return other.url.replace('://', `://${username}:${password}@`);
  };
  const server = await connectServerWarehouse({
    urls: [urlOf('writer'), second('writer')],
    readerUrls: [urlOf('reader'), second('reader')],
    ...{ database: 'spoor', cluster: null, makesDatabase: true },
  });
  const counted = async ({ reader }: Pick<EmbeddedWarehouse, 'reader'>): Promise<number> => {
    const answer = await reader.query({ query: 'SELECT count() FROM kept', format: 'JSONCompactEachRow' });
    return Number((await answer.json<[string]>())[0]?.[0]);
  };
  const stopping = new AbortController();
  let [asked, inserted] = [0, 0];
  const run = async (work: () => Promise<void>): Promise<void> => {
    while (!stopping.signal.aborted) await work();
  };
  const asking = [1, 2, 3, 4].map(() =>
    run(async () => {
      await counted(server);
      asked += 1;
    }),
  );
  const inserting = run(async () => {
    await server.writer.insert({ table: 'kept', values: [{ n: inserted }], format: 'JSONEachRow' });
    inserted += 1;
  });
  await expect.poll(() => Math.min(asked, inserted)).toBeGreaterThan(20);
  process.kill(engine.pid, 'SIGKILL');
  const [askedThen, insertedThen] = [asked, inserted];
  await expect.poll(() => Math.min(asked - askedThen, inserted - insertedThen)).toBeGreaterThan(50);
  stopping.abort();
  await Promise.all([...asking, inserting]);
  await server.close();
  expect(await counted(other)).toBeGreaterThan(0);
  await expect.poll(() => counted(engine).catch(() => 0)).toBeGreaterThan(0);
  expect((await counted(engine)) + (await counted(other))).toBeGreaterThanOrEqual(inserted);
});
