import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { StartPart, StartWait } from '../../api/status/status-probes.ts';
import { loadConfig } from '../../platform/config/config.ts';
import { createWarehouseClient } from '../../platform/warehouse-engine/create-clients.ts';
import { createStartProbes } from './start-probes.ts';
import { probeTables } from './status-probes.ts';

/** What a process with every role, of which nothing is open, says of its engines while it waits for these parts. */
const saysOf = async (...waits: (readonly [StartPart, isAway: boolean])[]) => {
  const waiting = waits.map(([part, isAway]): StartWait => ({ part, isAway, sinceUnixMs: 0 }));
  const service = { config: loadConfig({}), runs: () => true, waits: () => waiting };
  const probes = createStartProbes(service, { log: null, warehouse: null });
  return { eventLog: await probes.eventLog(), warehouse: await probes.warehouse() };
};

test('a part is down once it was asked and did not answer, and until then it starts; nothing is said of the others', async () => {
  const starting = { eventLog: 'starting', warehouse: 'starting' };
  expect(await saysOf()).toEqual(starting);
  expect(await saysOf(['event_log', false], ['warehouse', false])).toEqual(starting);
  expect(await saysOf(['event_log', true])).toEqual({ ...starting, eventLog: 'down' });
  expect(await saysOf(['schema_registry', true])).toEqual({ ...starting, eventLog: 'down' });
  expect(await saysOf(['warehouse', true], ['event_log', false])).toEqual({ ...starting, warehouse: 'down' });
});

test('an engine that takes questions and never answers is down, and no look at it stays behind', async () => {
  const server: Server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reader = createWarehouseClient({
    url,
    database: 'spoor',
    credentials: { username: '', password: '' },
  });
  onTestFinished(async () => {
    await reader.close();
    server.closeAllConnections();
    server.close();
  });
  const asked = once(server, 'request');
  const state = probeTables({ reader });
  const [, response] = await asked;
  await once(response, 'close');
  expect(await state).toBe('down');
});
