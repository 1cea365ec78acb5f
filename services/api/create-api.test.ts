import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ReadFailedError, type TransferReader } from '../investigate/model/transfer-reader.ts';
import { createMemoryReader } from '../testing/memory-reader.ts';
import { PATIENCE } from '../testing/patience.ts';
import { startApi } from '../testing/start-api.ts';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const valid = JSON.stringify({ address: SYSTEM_PROGRAM });

const failingReader = (error: Error): TransferReader => ({
  ...createMemoryReader([]),
  assetsSent: () => Promise.reject(error),
});

test("every answer carries x-request-id: the caller's own when it is plain, a fresh one otherwise", async () => {
  await using api = await startApi();
  const ask = (id: string | null, path: string) =>
    fetch(api.url + path, id === null ? {} : { headers: { 'x-request-id': id } });
  expect((await ask('abc-1.2_3', '/livez')).headers.get('x-request-id')).toBe('abc-1.2_3');
  for (const [id, path] of [
    [null, '/status'],
    [null, '/nothing'],
    ['x'.repeat(65), '/livez'],
    ['a b', '/livez'],
  ] as const) {
    expect((await ask(id, path)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('an error names its code and the request it answers, and nothing else', async () => {
  await using api = await startApi();
  const response = await fetch(`${api.url}/nothing`);
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    error: 'Nothing was found at this path.',
    code: 'not_found',
    request_id: response.headers.get('x-request-id'),
  });
});

test.each([
  ['GET', '/follow', 'POST'],
  ['DELETE', '/follow', 'POST'],
  ['POST', '/status', 'GET, HEAD'],
  ['OPTIONS', '/follow', 'POST'],
])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
  await using api = await startApi();
  const response = await fetch(api.url + path, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe(allow);
  expect(await response.json()).toMatchObject({ code: 'method_not_allowed' });
});

test('paths are compared as they are written', async () => {
  await using api = await startApi();
  expect((await fetch(`${api.url}/STATUS`)).status).toBe(404);
  expect((await fetch(`${api.url}/status/`)).status).toBe(404);
  expect((await fetch(`${api.url}/%E0%A4%A`)).status).toBeLessThan(500);
});

test.each([
  ['text/plain', {}],
  ['application/jsonp', {}],
  ['application/json; charset=utf-16', {}],
  ['', {}],
  ['application/json', { 'content-encoding': 'gzip' }],
])('a body of type %j is 415', async (type, more) => {
  await using api = await startApi();
  const headers = { ...more, ...(type === '' ? {} : { 'content-type': type }) };
  const response = await fetch(`${api.url}/follow`, { method: 'POST', headers, body: Buffer.from(valid) });
  expect(response.status).toBe(415);
  expect(await response.json()).toMatchObject({ code: 'unsupported_media_type' });
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON; charset="UTF-8"'])(
  'a body of type %j is read',
  async (type) => {
    await using api = await startApi();
    const response = await fetch(`${api.url}/follow`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: valid,
    });
    expect(response.status).toBe(200);
  },
);

test('a body above 64 KiB is 413, whether its length was announced or not; one of 64 KiB is read', async () => {
  await using api = await startApi();
  const padded = (bytes: number) => valid + ' '.repeat(bytes - valid.length);
  expect((await api.post('/follow', padded(65_536))).status).toBe(200);
  const announced = await api.post('/follow', padded(65_537));
  expect(announced.status).toBe(413);
  expect(await announced.json()).toMatchObject({ code: 'body_too_large' });
  const streamed = await fetch(`${api.url}/follow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([padded(300_000)]).stream(),
    duplex: 'half',
  });
  expect(streamed.status).toBe(413);
});

test.each([
  ['nothing', ''],
  ['half of an object', '{"address":'],
  ['two values', '{}{}'],
  ['a trailing comma', '{"address":"x",}'],
  ['a key twice', '{"address":"a","address":"b"}'],
  ['a key twice, once escaped', '{"address":"a","\\u0061ddress":"b"}'],
  ['a key twice further in', '{"address":[{"a":1,"b":{"a":2},"a":3}]}'],
])('%s is 400 invalid_json', async (_, body) => {
  await using api = await startApi();
  const response = await api.post('/follow', body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_json' });
});

test('a field without a name is told as one, not as the body', async () => {
  await using api = await startApi();
  const response = await api.post('/follow', { address: SYSTEM_PROGRAM, '': 1 });
  expect(await response.json()).toMatchObject({
    error: '`""` is not a known field.',
    fields: [{ path: '""' }],
  });
});

test('bytes that are not UTF-8 are 400 invalid_json', async () => {
  await using api = await startApi();
  const body = Buffer.concat([Buffer.from('{"address":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${api.url}/follow`, { method: 'POST', headers, body });
  expect(await response.json()).toMatchObject({ code: 'invalid_json' });
});

test('a deeply nested body is refused, not a crash', async () => {
  await using api = await startApi();
  const depth = 30_000;
  const response = await api.post('/follow', `${'['.repeat(depth)}${']'.repeat(depth)}`);
  expect(response.status).toBe(400);
  expect((await fetch(`${api.url}/livez`)).status).toBe(200);
});

test.each([
  ['unavailable', 503],
  ['timeout', 504],
] as const)('data that cannot be read (%s) is a %i that says nothing of the engine', async (code, status) => {
  const secret = 'Code: 241. DB::Exception at 10.0.0.7:8123';
  await using api = await startApi({
    reader: failingReader(new ReadFailedError(code, { cause: new Error(secret) })),
  });
  const response = await api.post('/follow', valid);
  const text = await response.text();
  expect(response.status).toBe(status);
  // The id is random, and may hold any digits.
  const { request_id: _, ...told } = JSON.parse(text) as Record<string, unknown>;
  expect(told).toMatchObject({ code });
  expect(JSON.stringify(told)).not.toMatch(/DB::|241|10\.0/);
});

test('a mistake of ours is a 500 without its message, which is in the log under the same request', async () => {
  await using api = await startApi({ reader: failingReader(new TypeError('undefined is not a function')) });
  const response = await api.post('/follow', valid);
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(text).not.toContain('undefined');
  const { code, request_id: requestId } = JSON.parse(text);
  expect(code).toBe('internal_error');
  const logged = api.log.find(({ level }) => level === 'error');
  expect(logged?.fields).toMatchObject({ requestId, err: { message: 'undefined is not a function' } });
});

test('each request is logged and measured once, by its route, without its body', async () => {
  await using api = await startApi();
  await (await api.post('/follow', valid)).text();
  await (await fetch(`${api.url}/admin.php?x=1`)).text();
  await expect
    .poll(() => api.outcomes, PATIENCE)
    .toMatchObject([
      { method: 'POST', route: '/follow', status: 200 },
      { method: 'GET', route: 'none', status: 404 },
    ]);
  expect(api.log).toHaveLength(2);
  expect(JSON.stringify(api.log)).not.toContain(SYSTEM_PROGRAM);
});

test('nothing is kept by a cache: no answer, no refusal, nothing that is not there', async () => {
  await using api = await startApi();
  const answers = [
    await api.post('/follow', valid),
    await api.post('/follow', '{'),
    await fetch(`${api.url}/follow`),
    await fetch(`${api.url}/nowhere`),
    await fetch(`${api.url}/status`),
  ];
  for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store');
});

test('a client that goes away stops the work done for it', async () => {
  let started = false;
  const stopped = Promise.withResolvers<void>();
  await using api = await startApi({
    reader: {
      ...createMemoryReader([]),
      assetsSent: ({ signal }) => {
        started = true;
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            stopped.resolve();
            reject(new ReadFailedError('aborted'));
          });
        });
      },
    },
  });
  const client = new AbortController();
  const asking = fetch(`${api.url}/follow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: valid,
    signal: client.signal,
  });
  const refused = expect(asking).rejects.toThrow();
  await expect.poll(() => started, PATIENCE).toBe(true);
  client.abort();
  await stopped.promise;
  await refused;
  await expect.poll(() => api.outcomes, PATIENCE).toMatchObject([{ status: 499 }]);
});

test('closing lets the answer under way finish and takes no new connection', async () => {
  const gate = Promise.withResolvers<void>();
  let started = false;
  await using api = await startApi({
    reader: {
      ...createMemoryReader([]),
      assetsSent: async () => {
        started = true;
        await gate.promise;
        return [];
      },
    },
  });
  const asking = api.post('/follow', valid);
  await expect.poll(() => started, PATIENCE).toBe(true);
  const closing = api.close({ graceMs: 30_000 });
  await expect(fetch(`${api.url}/livez`)).rejects.toThrow();
  gate.resolve();
  expect((await asking).status).toBe(200);
  await closing;
});

test('closing cuts what is still open after the grace, idle connections at once', async () => {
  let started = false;
  await using api = await startApi({
    reader: {
      ...createMemoryReader([]),
      assetsSent: ({ signal }) => {
        started = true;
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new ReadFailedError('aborted')));
        });
      },
    },
  });
  await (await fetch(`${api.url}/livez`)).text();
  const asking = expect(api.post('/follow', valid)).rejects.toThrow();
  await expect.poll(() => started, PATIENCE).toBe(true);
  await api.close({ graceMs: 20 });
  await asking;
});

test('what is not even HTTP gets the same shape of error', async () => {
  await using api = await startApi();
  const { port } = new URL(api.url);
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ code: 'invalid_request' });
});

test('/livez and /readyz serve probes, and metrics are not for everybody', async () => {
  let closing = false;
  await using api = await startApi({ isClosing: () => closing });
  expect((await fetch(`${api.url}/livez`)).status).toBe(200);
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${api.url}/metrics`)).status).toBe(404);
  closing = true;
  expect((await fetch(`${api.url}/readyz`)).status).toBe(503);
});
