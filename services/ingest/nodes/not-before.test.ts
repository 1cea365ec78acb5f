import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { createEvmSource } from '../evm/fetch-evm-block.ts';
import { createEvmWalletSource } from '../evm/fetch-evm-wallet.ts';
import { createSolanaSource } from '../solana/nodes/fetch-solana-block.ts';
import { createSolanaWalletSource } from '../solana/nodes/fetch-solana-wallet.ts';
import { createFailOver } from './fail-over.ts';

const NEVER = new AbortController().signal;
const retry = { attempts: 3, firstWaitMs: 1, longestWaitMs: 5 };
const FAMILIES = {
  solana: { create: createSolanaSource, createWallets: createSolanaWalletSource, head: 100 },
  ethereum: { create: createEvmSource, createWallets: createEvmWalletSource, head: '0x64' },
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
    const { create, createWallets, head } = FAMILIES[chain];
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
    const reading = createWallets({ chain, url: node.url, retry }).read(
      '0xab',
      { transactionsMax: 1 },
      NEVER,
    );
    await expect(reading.next()).rejects.toMatchObject({ code: 'rate_limited' });
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
