import { expect, onTestFinished, test } from 'vitest';
import { HEALTHY } from '../testing/start-api.ts';
import { createOperationsApi } from './create-operations-api.ts';
import { serve } from './serve.ts';
import type { StatusProbes } from './status/status-probes.ts';

const NOON_MS = 1_700_000_000_000;

const startWith = async (probes: StatusProbes) => {
  const api = createOperationsApi({
    probes,
    logger: { info: () => {}, error: () => {} },
    metrics: {
      observeRequest: () => {},
      expose: async () => ({ contentType: 'text/plain', text: 'up 1\n' }),
    },
    clock: { nowUnixMs: () => NOON_MS },
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
  expect(await ask('/metrics')).toMatchObject({ status: 200 });
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
