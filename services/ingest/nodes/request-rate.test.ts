import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { createEvmRpc } from '../evm/evm-rpc.ts';
import { createEvmSource } from '../evm/fetch-evm-block.ts';
import { openEvmNode } from '../history/evm-node/open-evm-node.ts';
import { openSolanaNode } from '../history/solana-node/open-solana-node.ts';
import { createSolanaSource } from '../solana/nodes/fetch-solana-block.ts';
import { createFailOver } from './fail-over.ts';
import {
  quotaOf,
  type RateLimits,
  type Request,
  type RequestRate,
  rateOf,
  type Urgency,
} from './request-rate.ts';

const NEVER = new AbortController().signal;
const retry = { attempts: 3, firstWaitMs: 1, longestWaitMs: 5 };
const FAMILIES = {
  solana: { create: createSolanaSource, openNode: openSolanaNode, head: 100 },
  ethereum: { create: createEvmSource, openNode: openEvmNode, head: '0x64' },
};
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['solana', 'seconds', 429, (): string => '30'],
  ['solana', 'a date', 503, (): string => inSeconds(30)],
  ['ethereum', 'seconds', 503, (): string => '30'],
  ['ethereum', 'a date', 429, (): string => inSeconds(30)],
] as const)(
  'a node of %s that names %s with its %i is asked by nobody before',
  async (chain, _, status, after) => {
    const { create, openNode, head } = FAMILIES[chain];
    let isLimited = true;
    const node = await startScriptedNode({
      answer: () => ({ result: head }),
      intercept: (_calls, response) => {
        if (isLimited) response.writeHead(status, { 'retry-after': after() }).end('slow down');
        return isLimited;
      },
    });
    const blocks = create({ chain, url: node.url, retry });
    await expect(blocks.head(NEVER)).rejects.toMatchObject({ transient: true });
    isLimited = false;
    const { node: histories } = openNode({ chain, url: node.url, retry });
    await expect(histories.head(NEVER)).rejects.toMatchObject({ code: 'rate_limited' });
    vi.advanceTimersByTime(28_000);
    await expect(blocks.head(NEVER)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(node.requests).toHaveLength(1);
    vi.advanceTimersByTime(2_000);
    expect(await blocks.head(NEVER)).toBe(100);
  },
);

test('a node that names a time beyond all measure is asked again after an hour', async () => {
  let isLimited = true;
  const node = await startScriptedNode({
    answer: () => ({ result: 100 }),
    intercept: (_calls, response) => {
      if (isLimited) response.writeHead(429, { 'retry-after': '999999' }).end('slow down');
      return isLimited;
    },
  });
  const source = createSolanaSource({ chain: 'solana', url: node.url, retry });
  await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'rate_limited' });
  isLimited = false;
  vi.advanceTimersByTime(3_599_000);
  await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(node.requests).toHaveLength(1);
  vi.advanceTimersByTime(1_000);
  expect(await source.head(NEVER)).toBe(100);
});

test.each(['0', inSeconds(-30), 'soon'])(
  'a node that asks for the wait of %j is left alone all the same',
  async (after) => {
    const node = await startScriptedNode({
      answer: () => ({ result: '0x64' }),
      intercept: (_calls, response) => {
        response.writeHead(503, { 'retry-after': after }).end('down');
        return true;
      },
    });
    const once = { ...retry, attempts: 1 };
    const sources = [node.url, `${node.url}2`].map((url) =>
      createEvmSource({ chain: 'ethereum', url, retry: once }),
    );
    const rests: number[] = [];
    const source = createFailOver(sources, { rested: ({ restMs }) => rests.push(restMs) }, once);
    await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'http_status' });
    expect(rests).toEqual([250, 250]);
  },
);

const HOST = 'https://node.example/v2/0123456789abcdef';
const of = (urgency: Urgency, method = 'm', calls = 1) => ({ urgency, method, calls });
const refused = (headers: Record<string, string> = {}) => ({ status: 429, headers: new Headers(headers) });
let hosts = 0;
/** A host that nobody asked yet. */
const newRate = (limits?: RateLimits) => {
  hosts += 1;
  return rateOf(`${HOST}${hosts}`, limits);
};

/** How many of these may go within so many milliseconds. */
const passedIn = async (rate: RequestRate, requests: readonly Request[], ms: number) => {
  const passed: Request[] = [];
  const leaving = new AbortController();
  const taking = requests.map((request) =>
    rate.take(request, leaving.signal).then(
      () => passed.push(request),
      () => {},
    ),
  );
  await vi.advanceTimersByTimeAsync(ms);
  leaving.abort(new Error('enough'));
  await Promise.all(taking);
  return passed;
};

const many = (count: number, method = 'm'): Request[] =>
  Array.from({ length: count }, () => of('history', method));

test('a host is asked ten times a second at first, and twice as often each second until it complains', async () => {
  vi.useFakeTimers();
  const rate = newRate();
  expect(await passedIn(rate, many(100), 900)).toHaveLength(19);
  expect(await passedIn(rate, many(1_000), 2_000)).not.toHaveLength(1_000);
  const { perSecond } = rate.now();
  expect(perSecond).toBeGreaterThanOrEqual(40);
  rate.heed(of('history'), refused());
  const slower = rate.now().perSecond;
  expect(slower).toBeLessThanOrEqual(perSecond / 2);
  // What failed together counts once.
  rate.heed(of('history'), refused());
  expect(rate.now().perSecond).toBe(slower);
  await passedIn(rate, many(1_000), 3_000);
  expect(rate.now().perSecond - slower).toBeGreaterThanOrEqual(1);
  expect(rate.now().perSecond - slower).toBeLessThanOrEqual(3);
});

test('the head of a chain goes before the histories that waited longer', async () => {
  vi.useFakeTimers();
  const rate = newRate();
  const line = [...many(20), of('head', 'eth_blockNumber')];
  const passed = await passedIn(rate, line, 150);
  expect(passed.at(-1)?.urgency).toBe('head');
  expect(passed.length).toBeLessThan(line.length);
});

test('a host that says how many are left and until when is not asked for more', async () => {
  vi.useFakeTimers();
  const rate = newRate();
  const headers = new Headers({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' });
  rate.heed(of('history'), { status: 200, headers });
  await expect(rate.take(of('head'), NEVER)).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterMs: 5_000,
  });
  vi.advanceTimersByTime(5_000);
  await rate.take(of('head'), NEVER);
});

test.each([
  [
    'by a header',
    (rate: RequestRate) => rate.heed(of('history', 'a'), refused({ 'x-ratelimit-method-remaining': '0' })),
  ],
  [
    'by its words',
    (rate: RequestRate) => rate.limited(of('history', 'a'), 'Too many requests for a specific RPC call'),
  ],
])('a limit of one method %s holds up no other method', async (_, limit) => {
  vi.useFakeTimers();
  const rate = newRate();
  await passedIn(rate, many(4, 'a'), 1);
  limit(rate);
  vi.advanceTimersByTime(200);
  const passed = await passedIn(rate, [...many(3, 'a'), ...many(3, 'b')], 50);
  expect(passed.map(({ method }) => method)).toEqual(['b', 'b', 'b']);
});

test('a budget of the day is not passed, and the next day begins anew', async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 23, 59, 50) });
  const rate = newRate({ perDay: 2 });
  await passedIn(rate, many(2), 1);
  await expect(rate.take(of('head'), NEVER)).rejects.toMatchObject({ code: 'quota_used', transient: false });
  vi.advanceTimersByTime(11_000);
  await rate.take(of('head'), NEVER);
});

test('all that ask one host with one key share its limits, whatever chain they ask for', () => {
  const one = quotaOf('https://rpc.example/eth/0123456789abcdef');
  expect(quotaOf('https://rpc.example/base/0123456789abcdef')).toBe(one);
  expect(quotaOf('https://rpc.example/eth/0123456789abcdee')).not.toBe(one);
  expect(quotaOf('https://other.example/eth/0123456789abcdef')).not.toBe(one);
  expect(quotaOf('https://rpc.example/?network=base&key=0123456789abcdef')).toBe(one);
});

test('lists, decodes and blocks of one node wait for each other', async () => {
  let isLimited = true;
  const node = await startScriptedNode({
    answer: () => ({ result: '0x64' }),
    intercept: (_calls, response) => {
      if (isLimited) response.writeHead(429).end('slow down');
      return isLimited;
    },
  });
  const once = { ...retry, attempts: 1 };
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry: once });
  await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'rate_limited' });
  isLimited = false;
  const other = createEvmRpc({ url: node.url });
  const asked = other.ask([{ method: 'eth_getLogs', params: [] }], NEVER);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(node.requests).toHaveLength(1);
  vi.advanceTimersByTime(2_000);
  expect(await asked).toEqual([{ result: '0x64' }]);
});
