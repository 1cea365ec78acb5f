import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../platform/logger.ts';
import { readEndpoint } from '../../platform/warehouse-engine/embedded/endpoint.ts';
import {
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { DATABASE } from './database.ts';
import type { Store } from './open-store.ts';
import { openTables } from './open-tables.ts';

const logger = createLogger({ level: 'silent' });
const folder = mkdtempSync(join(tmpdir(), 'spoor-tables-'));
let engine: EmbeddedWarehouse;
beforeAll(async () => {
  engine = await startEmbeddedWarehouse({ folder, database: DATABASE });
});
afterAll(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Of a store only where its tables lie is asked. */
const storeOf = (server: Store['server']): Store => ({ server, warehouseFolder: folder }) as unknown as Store;

test('a server that goes away while its tables are made is waited for', async () => {
  let requests = 0;
  const proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    requests += 1;
    if (requests === 10) return void response.socket?.destroy();
    const { method, headers, url } = request;
    const forwarded = send(new URL(url ?? '/', engine.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.end(body);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  const { port } = proxy.address() as AddressInfo;
  const { username, password } = readEndpoint(folder)?.credentials.writer ?? {};
  const url = `http://${username}:${password}@127.0.0.1:${port}`;
  const away: number[] = [];
  const tables = await openTables({
    ...{
      store: storeOf({ urls: [url], readerUrls: null, cluster: null, quorum: 'auto', database: DATABASE }),
      owns: true,
      logger,
    },
    ...{ isAway: () => void away.push(requests), onLost: () => {} },
  });
  expect(away).toEqual([10]);
  const answer = await engine.reader.query({
    query: 'SELECT count() FROM blocks',
    format: 'JSONCompactEachRow',
  });
  expect(await answer.json()).toEqual([['0']]);
  await tables.close();
  proxy.close();
});

test('an engine that is killed is back for every process that asks it, and no tables are lost', async () => {
  const lost: Error[] = [];
  const tables = await openTables({
    ...{ store: storeOf(null), owns: false, logger },
    ...{ isAway: () => {}, onLost: (error: Error) => void lost.push(error) },
  });
  const killed = engine.pid;
  process.kill(killed, 'SIGKILL');
  await expect.poll(() => engine.pid > 0 && engine.pid !== killed).toBe(true);
  await expect.poll(async () => (await tables.reader.ping({ select: true })).success).toBe(true);
  // Longer than it takes to look again whether the owner is there.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(lost).toEqual([]);
  await tables.close();
});
