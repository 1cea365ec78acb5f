import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { expect, onTestFinished, test } from 'vitest';
import { ReadFailedError } from '../investigate/model/transfer-reader.ts';
import { createMemoryReader } from '../testing/memory-reader.ts';
import { ANN, openBilledApi, story } from '../testing/open-billed-api.ts';
import { PATIENCE } from '../testing/patience.ts';
import { CONNECTIONS_EACH_MAX } from './bound-connections.ts';
import { LINE_LIMITS } from './bound-line.ts';
import type { ApiState } from './context.ts';
import { serve } from './serve.ts';

const BODY = JSON.stringify({ address: ANN, chain: 'ethereum' });

const TO_CHUNKS = 'Transfer-Encoding: chunked';

/** What a service sends to a client that writes its requests by hand. */
const openLine = (url: string, { allowHalfOpen = false, localAddress = '127.0.0.1' } = {}) => {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen, localAddress });
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  // Cut while it still sends.
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return {
    write: (text: string) => socket.write(text),
    reset: () => socket.resetAndDestroy(),
    received: () => received,
    ended: once(socket, 'end'),
    closed: once(socket, 'close'),
  };
};

const headOf = (key: string, more = ''): string =>
  [
    'POST /follow HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Authorization: Bearer ${key}`,
    `Content-Length: ${BODY.length}${more}`,
    '\r\n',
  ].join('\r\n');

test('a call behind which something else came on its line is stopped and not charged, though its client keeps its half open', async () => {
  const stopped = Promise.withResolvers<Error>();
  const begun = Promise.withResolvers<void>();
  const reader = {
    ...createMemoryReader(story),
    assetsSent: async ({ signal }: { signal: AbortSignal }): Promise<never> => {
      begun.resolve();
      if (!signal.aborted) await once(signal, 'abort');
      stopped.resolve(signal.reason);
      throw new ReadFailedError('aborted');
    },
  };
  await using service = await openBilledApi({ reader });
  const line = openLine(service.api.url, { allowHalfOpen: true });
  line.write(headOf(service.key) + BODY);
  await begun.promise;
  // One character more than was announced.
  line.write('}');
  // Not because it took too long.
  expect(await stopped.promise).toMatchObject({ name: 'AbortError' });
  await line.ended;
  expect(line.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
  const left = () => service.memory.balance('account:a');
  await expect.poll(left, PATIENCE).toMatchObject({ analysesLeft: 50, openCalls: 0 });
});

/** Two calls on one line, of which the first is held up. */
const openTwoCalls = async () => {
  const held = Promise.withResolvers<void>();
  const memory = createMemoryReader(story);
  let asked = 0;
  const assetsSent: typeof memory.assetsSent = async (request) => {
    asked += 1;
    if (asked === 1) await held.promise;
    return memory.assetsSent(request);
  };
  const service = await openBilledApi({ reader: { ...memory, assetsSent } });
  const line = openLine(service.api.url);
  line.write(`${headOf(service.key)}${BODY}`.repeat(2));
  await expect.poll(() => asked, PATIENCE).toBe(1);
  // What a call does in memory is over when another one on a line of its own was answered.
  expect((await service.follow()).status).toBe(200);
  return { service, line, letGo: held.resolve, asked: () => asked };
};

test('a call is not begun before its turn on its line, nor charged where its client leaves before that', async () => {
  const { service, line, letGo, asked } = await openTwoCalls();
  await using _ = service;
  expect(asked()).toBe(2);
  line.reset();
  await expect.poll(() => service.api.outcomes, PATIENCE).toHaveLength(2);
  letGo();
  const left = () => service.memory.balance('account:a');
  await expect.poll(left, PATIENCE).toMatchObject({ analysesLeft: 48, openCalls: 0 });
  expect(asked()).toBe(2);
});

test('calls on one line are answered in their turn, and each is charged', async () => {
  const { service, line, letGo } = await openTwoCalls();
  await using _ = service;
  letGo();
  await expect.poll(() => line.received().match(/HTTP.1\.1 200/g), PATIENCE).toHaveLength(2);
  expect(service.memory.balance('account:a')).toMatchObject({ analysesLeft: 44, openCalls: 0 });
});

test('of many full connections no more than one request each is worked on at once', async () => {
  let [running, most, answered] = [0, 0, 0];
  const api = new Koa<ApiState>().use(async (ctx) => {
    running += 1;
    most = Math.max(most, running);
    await sleep(1);
    running -= 1;
    answered += 1;
    ctx.body = 'x'.repeat(100_000);
  });
  const listening = await serve(api, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => listening.close({ graceMs: 0 }));
  const lines = Array.from({ length: 20 }, () => openLine(listening.url));
  for (const line of lines)
    line.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(LINE_LIMITS.requestsMax));
  await expect.poll(() => answered, PATIENCE).toBe(20 * LINE_LIMITS.requestsMax);
  expect(most).toBeLessThanOrEqual(20);
});

test.each([
  [0, CONNECTIONS_EACH_MAX],
  // What comes from this machine, or from a proxy, may stand for many.
  [null, CONNECTIONS_EACH_MAX + 20],
  [1, CONNECTIONS_EACH_MAX + 20],
])('with %j proxies one address has %i connections of 276, and others are served', async (proxies, kept) => {
  const api = new Koa<ApiState>().use((ctx) => {
    ctx.body = 'here';
  });
  const listening = await serve(api, { host: '127.0.0.1', port: 0, proxies });
  onTestFinished(() => listening.close({ graceMs: 0 }));
  const lines = Array.from({ length: CONNECTIONS_EACH_MAX + 20 }, () => openLine(listening.url));
  let closed = 0;
  for (const line of lines) void line.closed.then(() => (closed += 1));
  await expect.poll(() => closed, PATIENCE).toBe(lines.length - kept);
  const other = openLine(listening.url, { localAddress: '127.0.0.2' });
  other.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expect.poll(other.received, PATIENCE).toMatch(/here$/);
});

const NONE = expect.objectContaining({ plan: null, analyses_left: null });
const ACCOUNT = expect.objectContaining({ plan: 'free', analyses_left: 50 });

/** Of an answer as it came over the line. */
const readAnswer = (received: string) => {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [first, ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(': ') as [string, string]));
  const credits = headers.get('x-service-credits');
  const { code, request_id } = JSON.parse(body);
  return {
    status: Number(first?.split(' ')[1]),
    code,
    isNamed: request_id !== null && request_id === headers.get('x-request-id'),
    credits: credits === null ? null : JSON.parse(credits),
  };
};

test.each([
  [
    'of headers that are too large',
    [`\r\nx-large: ${'x'.repeat(17_000)}`, BODY],
    431,
    'headers_too_large',
    NONE,
  ],
  ['of an expectation that nobody knows', ['\r\nExpect: nonsense', BODY], 417, 'expectation_failed', NONE],
  ['of chunks without a length', [TO_CHUNKS, 'zz\r\n'], 400, 'invalid_request', NONE],
] as const)(
  'a refusal %s says why, for which request and what is left',
  async (_, parts, status, code, credits) => {
    await using service = await openBilledApi();
    const line = openLine(service.api.url);
    const [more, body] = parts;
    line.write(
      (more === TO_CHUNKS
        ? headOf(service.key).replace(/Content-Length.*/, more)
        : headOf(service.key, more)) + body,
    );
    await line.ended;
    expect(readAnswer(line.received())).toEqual({ status, code, isNamed: true, credits });
  },
);

test('a refusal without a host, and of what is not HTTP, says for which request', async () => {
  await using service = await openBilledApi();
  for (const text of ['GET /status HTTP/1.1\r\n\r\n', 'nonsense\r\n\r\n']) {
    const line = openLine(service.api.url);
    line.write(text);
    await line.ended;
    const refused = { status: 400, code: 'invalid_request', isNamed: true, credits: null };
    expect(readAnswer(line.received())).toEqual(refused);
  }
});

test('a body that stops is 408, and the account is told what it has left', async () => {
  await using service = await openBilledApi({ line: { requestTimeoutMs: 300 } });
  const line = openLine(service.api.url);
  line.write(headOf(service.key) + BODY.slice(0, 10));
  await line.ended;
  const refused = { status: 408, code: 'request_timeout', isNamed: true, credits: ACCOUNT };
  expect(readAnswer(line.received())).toEqual(refused);
});

test.each(['GET /livez', 'GET /status', 'GET /metrics', 'POST /follow'])(
  'of 64 kB of %s on one connection a few are worked on, the connection ends, and others are answered',
  async (what) => {
    await using service = await openBilledApi();
    const line = openLine(service.api.url);
    const one = `${what} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    line.write(one.repeat(Math.floor(65_536 / one.length)));
    await line.closed;
    expect((await service.get('/livez')).status).toBe(200);
    expect(service.api.outcomes.length).toBeLessThanOrEqual(LINE_LIMITS.requestsMax + 1);
  },
);

test('as many requests as a connection may have are answered in their turn, and then as many again', async () => {
  await using service = await openBilledApi();
  const line = openLine(service.api.url);
  const piece = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(LINE_LIMITS.requestsMax);
  for (const times of [1, 2]) {
    line.write(piece);
    const answers = () => line.received().match(/HTTP.1\.1 200/g)?.length;
    await expect.poll(answers, PATIENCE).toBe(LINE_LIMITS.requestsMax * times);
  }
});

/** Comes in pieces, as fast as it is read, and does not end. */
const createPieces = () =>
  new Readable({
    read() {
      this.push(Buffer.alloc(1 << 16));
    },
  });

test.each([
  ['that is there', () => Buffer.alloc(32 << 20)],
  ['that comes in pieces', createPieces],
])('who does not read an answer %s is cut off', async (_, answer) => {
  const lineLimits = { readTimeoutMs: 200 };
  const sent = Promise.withResolvers<boolean>();
  const big = new Koa<ApiState>();
  big.silent = true;
  big.use((ctx) => {
    ctx.res.once('close', () => sent.resolve(ctx.res.writableFinished));
    ctx.body = answer();
  });
  const listening = await serve(big, { host: '127.0.0.1', port: 0, lineLimits });
  onTestFinished(() => listening.close({ graceMs: 0 }));
  const { port } = new URL(listening.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  // A part of it is read, and then nothing.
  socket.once('data', () => void socket.pause());
  expect(await sent.promise).toBe(false);
  socket.destroy();
});

test('work that takes longer than a client has to read is not cut off, and a line without any is', async () => {
  const slow = new Koa<ApiState>().use(async (ctx) => {
    await sleep(600);
    ctx.body = 'done';
  });
  const listening = await serve(slow, { host: '127.0.0.1', port: 0, lineLimits: { readTimeoutMs: 200 } });
  onTestFinished(() => listening.close({ graceMs: 0 }));
  const [line, silent] = [openLine(listening.url), openLine(listening.url)];
  line.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await silent.closed;
  await expect.poll(line.received, PATIENCE).toMatch(/done$/);
});

test.each([
  ['localhost:8402', 200],
  ['LOCALHOST.', 200],
  ['127.0.0.1', 200],
  ['[::1]:8402', 200],
  ['192.168.1.7:8402', 200],
  ['spoor.example', 200],
  ['Spoor.Example:443', 200],
  ['evil.example', 421],
  ['spoor.example.evil.example', 421],
  ['evil@localhost', 421],
  ['127.0.0.1.evil.example', 421],
  ['localhost/evil', 421],
  ['', 421],
])('a request for the host %j is answered with %i', async (host, status) => {
  const api = new Koa<ApiState>().use((ctx) => {
    ctx.body = 'here';
  });
  const listening = await serve(api, { host: '127.0.0.1', port: 0, hostNames: ['spoor.example'] });
  onTestFinished(() => listening.close({ graceMs: 0 }));
  const line = openLine(listening.url);
  line.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await line.ended;
  expect(line.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test.each([
  ['two names', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example', 400],
  ['the same name twice', 'GET / HTTP/1.1\r\nHost: localhost\r\nhost: localhost', 400],
  ['another name in its address', 'GET http://evil.example/ HTTP/1.1\r\nHost: localhost', 421],
  ['another name behind a login', 'GET http://localhost@evil.example/ HTTP/1.1\r\nHost: localhost', 421],
  ['its name in its address', 'GET http://localhost/ HTTP/1.1\r\nHost: localhost', 200],
])('a request to %s is answered as one to all of them', async (_, head, status) => {
  const api = new Koa<ApiState>().use((ctx) => {
    ctx.body = 'here';
  });
  const listening = await serve(api, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => listening.close({ graceMs: 0 }));
  const line = openLine(listening.url);
  line.write(`${head}\r\nConnection: close\r\n\r\n`);
  await line.ended;
  expect(line.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});
