import { describe, expect, test } from 'vitest';
import {
  followAndTell as follow,
  followWith,
  readStory,
  toFollowRequest,
} from '../../../testing/ask-follow.ts';
import type { MovementPlan } from '../../../testing/build-block.ts';
import { move } from '../../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f';
const WBTC = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599';
const DOLLAR = 10n ** 6n;
const MILLIETHER = 10n ** 15n;

const pays = (from: string, dollars: bigint) =>
  move(from, 'settlement', dollars * DOLLAR, { asset: USDC, authority: 'settlement' });
const gets = (to: string, milliether: bigint) => move('settlement', to, milliether * MILLIETHER);

/** The end of the trail of alice's thousand dollars, which a solver sells together with what others gave him. */
const endOf = async (moves: readonly MovementPlan[]) => {
  const story = [
    { time: 10, moves: [move('victim', 'alice', 1_000n * DOLLAR, { asset: USDC })] },
    { time: 20, by: 'solver', moves: [pays('alice', 1_000n), ...moves] },
    { time: 30, moves: [move('pool', 'innocent', 51_000n * DOLLAR, { asset: USDC })] },
  ];
  const request = toFollowRequest({ chain: 'ethereum', start: 'victim', canonicalAsset: USDC });
  const prices = createMemoryPriceReader([
    {
      ...{ chain: 'ethereum', canonicalAsset: 'native', usd: 4_000, source: 'market', span: 'hour' },
      ...{ beginUnixSeconds: 0, atUnixSeconds: 20 },
    },
  ]);
  const reader = readStory(story, 'ethereum');
  return (await follow(request, { ...followWith(reader), prices })).end;
};

describe('who got the proceeds, where many trade in one transaction,', () => {
  test('is nobody who put in as much of the same asset himself', async () => {
    const end = await endOf([
      ...[pays('bob', 50_000n), move('settlement', 'pool', 51_000n * DOLLAR, { asset: USDC })],
      ...[move('pool', 'settlement', 12_750n * MILLIETHER), gets('bob', 12_500n), gets('carol', 250n)],
    ]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', output: { asset: 'native' } });
  });

  test('is nobody who did so through as many pools as the money went', async () => {
    const [all, bobs] = [34_000_000n, 33_333_333n];
    const end = await endOf([
      ...[pays('bob', 50_000n), move('settlement', 'pool', 51_000n * DOLLAR, { asset: USDC })],
      ...[move('pool', 'second pool', 12_750n * MILLIETHER)],
      ...[move('second pool', 'settlement', all, { asset: WBTC })],
      ...[move('settlement', 'bob', bobs, { asset: WBTC })],
      ...[move('settlement', 'carol', all - bobs, { asset: WBTC })],
    ]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', output: { asset: WBTC } });
  });

  test('is nobody who got many times what was sold, for something else', async () => {
    const end = await endOf([
      move('settlement', 'pool', 1_000n * DOLLAR, { asset: USDC }),
      move('bob', 'pool', 50_000n * 10n ** 18n, { asset: DAI }),
      ...[move('pool', 'settlement', 12_750n * MILLIETHER), gets('bob', 12_500n), gets('carol', 250n)],
    ]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
  });

  test.each([
    [
      'of another asset to the same pool',
      [
        move('bob', 'pool', 5_000n * 10n ** 18n, { asset: DAI }),
        move('pool', 'settlement', 1_500n * MILLIETHER),
        gets('bob', 1_250n),
      ],
    ],
    [
      'of another asset to a pool of its own',
      [
        ...[move('bob', 'dai pool', 5_000n * 10n ** 18n, { asset: DAI }), gets('bob', 1_250n)],
        move('dai pool', 'settlement', 1_250n * MILLIETHER),
        move('pool', 'settlement', 250n * MILLIETHER),
      ],
    ],
    [
      'of the same asset for another wallet',
      [
        ...[pays('bob', 5_000n), move('settlement', 'pool', 5_000n * DOLLAR, { asset: USDC })],
        ...[move('pool', 'settlement', 1_500n * MILLIETHER), gets('bobs other', 1_250n)],
      ],
    ],
  ])('is who got what was due, not who got more for five times as much %s', async (_, moves) => {
    const sold = move('settlement', 'pool', 1_000n * DOLLAR, { asset: USDC });
    expect(await endOf([sold, ...moves, gets('carol', 250n)])).toMatchObject({
      ...{ reason: 'dex_swap', address: 'carol', others: [] },
    });
  });

  test('are all whom it was divided among, each with what was sold for him, but who took a fee', async () => {
    const end = await endOf([
      move('settlement', 'pool', 1_000n * DOLLAR, { asset: USDC }),
      move('pool', 'settlement', 250n * MILLIETHER),
      ...[gets('carol', 200n), gets('dan', 48n), gets('referrer', 2n)],
    ]);
    expect(end).toMatchObject({
      ...{ reason: 'dex_swap', address: 'carol', output: { asset: 'native' } },
      others: [
        {
          ...{ from: 'alice', amountRaw: (1_000n * DOLLAR * 48n) / 248n },
          output: { asset: 'native', recipient: 'dan' },
        },
      ],
    });
    expect(end.detail).toMatch(/ got ETH for 806\.\d+ USDC of it, .* got ETH for 193\.\d+ USDC of it/);
  });

  test('is nobody whom somebody else paid as much, who had nothing to do with it', async () => {
    const end = await endOf([
      ...[move('settlement', 'pool', 1_000n * DOLLAR, { asset: USDC })],
      ...[move('pool', 'settlement', 250n * MILLIETHER), gets('carol', 150n), gets('dan', 100n)],
      move('erin', 'innocent', 250n * MILLIETHER),
    ]);
    expect(end).toMatchObject({
      ...{ reason: 'dex_swap', address: 'carol' },
      others: [{ output: { asset: 'native', recipient: 'dan' } }],
    });
  });

  test('is whoever got most where nobody got about as much as was sold', async () => {
    const end = await endOf([
      move('settlement', 'pool', 1_000n * DOLLAR, { asset: USDC }),
      ...[move('pool', 'settlement', 250n * MILLIETHER), move('hoard', 'settlement', 9_750n * MILLIETHER)],
      ...[gets('carol', 9_999n), gets('referrer', 1n)],
    ]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
  });

  test('may be who sold, whatever he put in', async () => {
    const end = await endOf([
      move('settlement', 'pool', 1_000n * DOLLAR, { asset: USDC }),
      ...[move('pool', 'settlement', 250n * MILLIETHER), gets('alice', 248n), gets('referrer', 2n)],
    ]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'alice' });
  });

  test('is whoever got them who paid only a tip of the same asset', async () => {
    const end = await endOf([
      ...[pays('carol', 1n), move('settlement', 'pool', 1_001n * DOLLAR, { asset: USDC })],
      ...[move('pool', 'settlement', 250n * MILLIETHER), gets('carol', 245n), gets('referrer', 5n)],
    ]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
  });
});
