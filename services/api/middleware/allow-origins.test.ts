import { expect, test } from 'vitest';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { ANN, story } from '../../testing/open-billed-api.ts';
import { type RunningApi, startApi } from '../../testing/start-api.ts';

const ORIGIN = 'https://app.example';

const ask = (api: RunningApi, origin: string) =>
  api.post('/follow', { address: ANN, chain: 'ethereum' }, { origin });
const preflight = (api: RunningApi, path: string, origin: string) =>
  fetch(api.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,idempotency-key,x-api-key',
    },
  });

test('a page of an origin that is set may ask, and read what the answer and an error say in their headers', async () => {
  await using api = await startApi({ reader: createMemoryReader(story), origins: [ORIGIN] });
  const first = await preflight(api, '/follow', ORIGIN);
  expect(first.status).toBe(204);
  expect(first.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  expect(first.headers.get('access-control-allow-methods')).toContain('POST');
  expect(first.headers.get('access-control-allow-headers')).toContain('idempotency-key');
  const refused = await api.post('/follow', {}, { origin: ORIGIN });
  const unknown = await fetch(`${api.url}/nothing`, { headers: { origin: ORIGIN } });
  const page = await fetch(`${api.url}/openapi.json`, { headers: { origin: ORIGIN } });
  for (const [answer, status] of [
    [await ask(api, ORIGIN), 200],
    [refused, 400],
    [unknown, 404],
    [page, 200],
  ] as const) {
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/x-request-id.*PAYMENT-REQUIRED/);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toContain('Origin');
  }
});

test.each([
  ['no origin is set', [], ORIGIN, '/follow'],
  ['another one is', [ORIGIN], 'https://app.example.evil.example', '/follow'],
  ['it is the account area', [ORIGIN], ORIGIN, '/account/keys'],
  ['it is the account area and all may call', ['*'], ORIGIN, '/account'],
])('where %s, a page may neither send nor read', async (_, origins, origin, path) => {
  await using api = await startApi({ reader: createMemoryReader(story), origins });
  for (const answer of [await preflight(api, path, origin), await api.post(path, {}, { origin })])
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('all may call where that is set, also the tools', async () => {
  await using api = await startApi({ reader: createMemoryReader(story), origins: ['*'] });
  expect((await ask(api, 'https://any.example')).headers.get('access-control-allow-origin')).toBe('*');
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const tool = await api.post('/mcp', ping, { origin: 'https://any.example', accept: '*/*' });
  expect(tool.status).toBe(200);
  expect(tool.headers.get('access-control-allow-origin')).toBe('*');
});
