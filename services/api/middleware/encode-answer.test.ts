import { request } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { ANN, story } from '../../testing/open-billed-api.ts';
import { startApi } from '../../testing/start-api.ts';
import { createApplication } from '../create-application.ts';
import { createRouter, type Route } from '../router.ts';
import { serve } from '../serve.ts';

/** As it came over the line; `fetch` would unpack it. */
const ask = (url: string, headers: Readonly<Record<string, string>>, body?: object) =>
  new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(
      url,
      { method, headers: { 'content-type': 'application/json', ...headers } },
      (answer) => {
        buffer(answer).then(
          (bytes) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes }),
          reject,
        );
      },
    );
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });

const FOLLOW = { address: ANN, chain: 'ethereum', asset: 'native', since: 900, graph: true };

test.each([
  ['/follow', FOLLOW],
  ['/signals', undefined],
  ['/openapi.json', undefined],
  ['/docs/swagger-ui.css', undefined],
])('%s comes compressed where the client takes gzip, and is the same plain', async (path, body) => {
  await using api = await startApi({ reader: createMemoryReader(story) });
  const url = api.url + path;
  const plain = await ask(url, {}, body);
  const packed = await ask(url, { 'accept-encoding': 'br;q=1, gzip;q=0.8' }, body);
  expect([plain.status, packed.status]).toEqual([200, 200]);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip' });
  for (const { headers } of [plain, packed]) expect(headers.vary).toContain('Accept-Encoding');
  expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
  const refusing = await ask(url, { 'accept-encoding': 'gzip;q=0' }, body);
  expect(refusing.bytes.equals(plain.bytes)).toBe(true);
});

/** An application with one route, whose body is a stream. */
const serveStream = async (body: Readable) => {
  const logger = { info: () => {}, error: () => {} };
  const metrics = { observeRequest: () => {}, expose: async () => ({ contentType: '', text: '' }) };
  const route: Route = [
    'GET',
    '/rows',
    (ctx) => {
      ctx.type = 'text/csv';
      ctx.body = body;
    },
  ];
  const api = createApplication({ logger, metrics }).use(createRouter([route]));
  const { url, close } = await serve(api, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => close({ graceMs: 0 }));
  return `${url}/rows`;
};

test('of a file each row is sent when it is there, and nothing is read on for a client that left', async () => {
  const rows = new PassThrough();
  const url = await serveStream(rows);
  const leaving = new AbortController();
  rows.write('first\n');
  const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' }, signal: leaving.signal });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect(await reader?.read()).toMatchObject({ value: 'first\n' });
  rows.write('second\n');
  expect(await reader?.read()).toMatchObject({ value: 'second\n' });
  leaving.abort();
  await expect.poll(() => rows.destroyed).toBe(true);
});

test('a short answer is sent as it is', async () => {
  await using api = await startApi();
  const { headers } = await ask(`${api.url}/nothing`, { 'accept-encoding': 'gzip' });
  expect(headers['content-encoding']).toBeUndefined();
});
