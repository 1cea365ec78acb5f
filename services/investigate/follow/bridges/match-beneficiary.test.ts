import { describe, expect, test } from 'vitest';
import { followAndTell as follow, followWith, toFollowRequest } from '../../../testing/ask-follow.ts';
import { move, type StoryStep, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import type { Label } from '../../model/label.ts';
import { ReadFailedError } from '../../model/transfer-reader.ts';

describe('behind a bridge', () => {
  const [usdc, onBase] = [
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  ];
  const near = tellStory('ethereum', [
    { time: 10, moves: [move('0xann', '0xbea', 5_000_000n, { asset: usdc })] },
    { time: 20, moves: [move('0xbea', '0xgate', 5_000_000n, { asset: usdc })] },
  ]);
  const labels = new Map<string, Label>([
    ['0xgate', { name: 'Gate', kind: 'bridge' }],
    ['0xpayer', { name: 'Gate on Base', kind: 'bridge' }],
  ]);
  const outputOf = async (far: readonly StoryStep[]) => {
    const reader = createMemoryReader([...near, ...tellStory('base', far)], { labels });
    const request = toFollowRequest({ chain: 'ethereum', start: '0xann', canonicalAsset: usdc });
    const { end } = await follow(request, followWith(reader));
    if (end.reason !== 'bridge') throw new Error(end.reason);
    return end.output;
  };
  const paid = (payer: string | null, amountRaw: bigint, time = 900, asset = onBase) => {
    const kind = payer === null ? 'mint' : 'transfer';
    return { time, hash: `far-${time}`, moves: [move(payer, '0xbea', amountRaw, { asset, kind })] };
  };

  const received = (count: number, payer: string | null, amountRaw: bigint) =>
    Array.from({ length: count }, (_, n) => ({ ...paid(payer, amountRaw, 40 + n), hash: `same-${n}` }));

  test('a thousand crumbs before a payout hide it from nobody', async () => {
    const [another, own] = [paid(null, 4_960_000n, 30), paid(null, 5_000_000n, 2_000)];
    expect(await outputOf([another, ...received(1_000, '0xspam', 1n), own])).toMatchObject({
      ...{ signature: 'far-2000', confidence: 0.9 },
    });
  });

  test('one of more payments than are read is as doubtful as one of many that fit', async () => {
    const [another, own] = [paid(null, 4_960_000n, 30), paid(null, 5_000_000n, 2_000)];
    expect(await outputOf([another, ...received(1_000, '0xspam', 5_000_000n), own])).toMatchObject({
      ...{ signature: 'far-30', confidence: 0.5 },
    });
  });

  test.each([
    ['issued', null],
    ['paid by a known bridge', '0xpayer'],
  ])('what is %s to the same address on another chain is the far side', async (_, payer) => {
    expect(await outputOf([paid(payer, 4_999_000n), paid('0xstranger', 5_000_000n, 800)])).toMatchObject({
      chain: { name: 'base' },
      asset: { asset: onBase, symbol: 'USDC', decimals: 6 },
      ...{ address: '0xbea', amountRaw: 4_999_000n, signature: 'far-900', timeUnixSeconds: 900 },
      ...{ by: 'beneficiary', confidence: 0.99 },
    });
  });

  test.each([
    ['comes from nobody known', paid('0xstranger', 5_000_000n)],
    ['is another amount', paid(null, 4_000_000n)],
    ['is more than went in', paid(null, 5_000_001n)],
    ['came before', paid(null, 5_000_000n, 19)],
    ['came days later', paid(null, 5_000_000n, 200_000)],
    ['is another asset', paid(null, 5_000_000n, 900, 'native')],
  ])('what %s is not', async (_, step) => {
    expect(await outputOf([step])).toBeNull();
  });

  test('of several that fit the nearest is named, with less confidence', async () => {
    const output = await outputOf([paid(null, 4_990_000n, 800), paid(null, 5_000_000n, 900)]);
    expect(output).toMatchObject({ amountRaw: 5_000_000n, confidence: 0.9 });
  });

  test('what cannot be read leaves the end at the bridge as it is', async () => {
    const reader = {
      ...createMemoryReader(near, { labels }),
      farArrivals: () => Promise.reject(new ReadFailedError('unavailable')),
    };
    const request = toFollowRequest({ chain: 'ethereum', start: '0xann', canonicalAsset: usdc });
    const { end } = await follow(request, followWith(reader));
    expect(end).toMatchObject({ reason: 'bridge', address: '0xgate', output: null });
  });
});
