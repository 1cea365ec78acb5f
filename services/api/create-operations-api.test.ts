import { expect, onTestFinished, test } from 'vitest';
import { HEALTHY } from '../testing/start-api.ts';
import { createOperationsApi, createStatusApi } from './create-operations-api.ts';
import { serve } from './serve.ts';
import type { StatusProbes } from './status/status-probes.ts';

const NOON_MS = 1_700_000_000_000;

const UP = { contentType: 'text/plain', text: 'up 1\n' };

const startWith = async (
  probes: StatusProbes,
  { create = createStatusApi, expose = async () => UP, nowUnixMs = (): number => NOON_MS } = {},
) => {
  const api = create({
    probes,
    logger: { info: () => {}, error: () => {} },
    metrics: { observeRequest: () => {}, expose },
    clock: { nowUnixMs },
    version: '0.0.0-test',
    isClosing: () => false,
  });
  const listening = await serve(api, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => listening.close({ graceMs: 0 }));
  return async (path: string, method = 'GET') => {
    const response = await fetch(listening.url + path, { method });
    const text = await response.text();
    const { headers, status } = response;
    const credits = headers.get('x-service-credits');
    return { status, retryAfter: headers.get('retry-after'), credits: credits && JSON.parse(credits), text };
  };
};

const STARTING: StatusProbes = {
  ...HEALTHY,
  warehouse: async () => 'down',
  ledger: async () => 'starting',
  waits: () => [{ part: 'warehouse', sinceUnixMs: NOON_MS - 90_500, isAway: true }],
};

test('a process that starts is alive, and says which engine it waits for and since when', async () => {
  const ask = await startWith(STARTING);
  expect(await ask('/livez')).toMatchObject({ status: 200 });
  const ready = await ask('/readyz');
  expect({ status: ready.status, body: JSON.parse(ready.text) }).toEqual({
    status: 503,
    body: { ready: false, stalled: [], waiting_for: ['warehouse'] },
  });
  const status = await ask('/status');
  expect(status.status).toBe(503);
  expect(JSON.parse(status.text)).toMatchObject({
    status: 'down',
    components: { event_log: 'ok', warehouse: 'down', ledger: 'starting' },
    waiting_for: [{ part: 'warehouse', since: 1_699_999_909 }],
  });
});

test('a process that does not know whether calls need a key does not say that they do', async () => {
  for (const probes of [STARTING, HEALTHY]) {
    const ask = await startWith(probes);
    expect(JSON.parse((await ask('/status')).text)).toMatchObject({ access: null });
  }
});

test('a process that starts is not ready between two of the things that it waits for either', async () => {
  const ask = await startWith({ ...HEALTHY, waits: () => [] });
  expect(await ask('/readyz')).toMatchObject({ status: 503 });
  expect(await ask('/status')).toMatchObject({ status: 503 });
});

test('whoever asks a process that starts for its work is told to come back, and one that runs has none at other addresses', async () => {
  const starting = await startWith(STARTING);
  for (const [path, method, credits] of [
    ['/follow', 'POST', expect.objectContaining({ plan: null, analyses_left: null })],
    ['/billing/account', 'GET', null],
  ] as const) {
    const { text, ...head } = await starting(path, method);
    expect(head).toEqual({ status: 503, retryAfter: '10', credits });
    expect(JSON.parse(text)).toEqual({
      error: 'The service is starting. Please try again.',
      code: 'unavailable',
      request_id: expect.any(String),
    });
  }
  const running = await startWith(HEALTHY);
  expect(await running('/follow', 'POST')).toMatchObject({ status: 404, retryAfter: null });
  expect(JSON.parse((await running('/status')).text)).not.toHaveProperty('waiting_for');
});

test('operators are told all of it at their own address, everybody else how it is', async () => {
  const operations = await startWith(HEALTHY, { create: createOperationsApi });
  for (const path of ['/livez', '/readyz', '/status', '/metrics'])
    expect(await operations(path), path).toMatchObject({ status: 200 });
  expect((await operations('/metrics')).text).toBe('up 1\n');
  const everybody = await startWith(HEALTHY);
  for (const path of ['/livez', '/readyz', '/status'])
    expect(await everybody(path), path).toMatchObject({ status: 200 });
  expect(await everybody('/metrics')).toMatchObject({ status: 404 });
});

test('metrics are made once a second, and never twice at once, however many ask', async () => {
  let nowUnixMs = NOON_MS;
  let made = 0;
  const held = Promise.withResolvers<void>();
  const expose = async () => {
    made += 1;
    await held.promise;
    return { ...UP, text: `up ${made}\n` };
  };
  const ask = await startWith(HEALTHY, { create: createOperationsApi, expose, nowUnixMs: () => nowUnixMs });
  const early = Array.from({ length: 20 }, () => ask('/metrics'));
  await expect.poll(() => made).toBe(1);
  nowUnixMs += 5_000;
  const late = Array.from({ length: 20 }, () => ask('/metrics'));
  await ask('/livez');
  held.resolve();
  for (const { text } of await Promise.all([...early, ...late])) expect(text).toBe('up 1\n');
  nowUnixMs += 1_000;
  expect((await ask('/metrics')).text).toBe('up 2\n');
  expect((await ask('/metrics')).text).toBe('up 2\n');
});
