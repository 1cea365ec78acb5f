import { describe, expect, test } from 'vitest';
import {
  ask,
  followAndTell as follow,
  followWith,
  path,
  readStory,
  toFollowRequest,
} from '../../testing/ask-follow.ts';
import { move } from '../../testing/chain-story.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import { findChain } from '../model/chain.ts';

describe('swaps', () => {
  const swap = (gaveRaw: bigint, gotAsset: string, through: string | null = 'pool') => ({
    owner: 'bob',
    gaveAsset: 'native',
    gaveRaw,
    gotAsset,
    gotRaw: 5n,
    through,
  });
  const arrival = { time: 10, moves: [move('alice', 'bob', 100n)] };

  test('end the trail with what came back, the largest swap and the time of the first', async () => {
    const trail = await ask([
      arrival,
      { time: 20, hash: 'first', moves: [move('bob', 'pool', 30n)], swaps: [swap(30n, 'mint')] },
      { time: 21, hash: 'largest', moves: [move('bob', 'pool', 60n)], swaps: [swap(60n, 'mint')] },
    ]);
    expect(path(trail)).toEqual(['alice>bob']);
    expect(trail.end).toMatchObject({
      reason: 'dex_swap',
      address: 'bob',
      output: { asset: 'mint', symbol: null, decimals: null },
      signature: 'largest',
      timeUnixSeconds: 20,
    });
  });

  test('say through whom, since a thief can have anything come back from a wallet of his own', async () => {
    const moves = [move('bob', 'stash', 100n), move('stash', 'bob', 1n, { asset: 'junk' })];
    const onward = { time: 30, moves: [move('stash', 'cash', 100n)] };
    const story = [arrival, { time: 20, by: 'bob', moves, swaps: [swap(100n, 'junk', 'stash')] }, onward];
    const { end } = await ask(story);
    expect(end.detail).toBe('bob swapped 0.0000001 SOL into junk through stash.');
    expect(path(await ask(story, { start: 'stash', atUnixSeconds: 20 }))).toEqual(['stash>cash']);
  });

  test('into several assets still end the trail, with the one that got most', async () => {
    const trail = await ask([
      arrival,
      { time: 20, swaps: [swap(20n, 'a')] },
      { time: 21, hash: 'b1', swaps: [swap(25n, 'b')] },
      { time: 22, swaps: [swap(20n, 'a')] },
      { time: 23, swaps: [swap(30n, 'b')] },
    ]);
    expect(trail.end).toMatchObject({ reason: 'dex_swap', output: { asset: 'b' }, timeUnixSeconds: 21 });
  });

  test('name what else left, and what else was got', async () => {
    const { end } = await ask([
      arrival,
      { time: 20, hash: 'main', swaps: [swap(40n, 'a')] },
      { time: 21, hash: 'beside', swaps: [swap(20n, 'b', 'second pool')] },
      { time: 22, hash: 'paid', moves: [move('bob', 'carol', 30n)] },
    ]);
    expect(end).toMatchObject({ reason: 'dex_swap', output: { asset: 'a' } });
    expect(end.detail).toContain('0.00000004 SOL into a');
    expect(end).toMatchObject({
      others: [
        { from: 'bob', to: 'carol', amountRaw: 30n, signature: 'paid', output: null },
        { from: 'bob', to: 'second pool', amountRaw: 20n, signature: 'beside', output: { asset: 'b' } },
      ],
    });
  });

  test('are no payment to the pool, whose next customer is not followed', async () => {
    const story = [
      arrival,
      { time: 20, by: 'bob', moves: [move('bob', 'pool', 30n)], swaps: [swap(30n, 'mint')] },
      { time: 21, moves: [move('bob', 'carol', 70n)] },
      { time: 22, moves: [move('pool', 'next customer', 30n)] },
    ];
    const [swapped] = (await ask(story)).hops[1]?.others ?? [];
    expect(swapped).toMatchObject({ from: 'bob', to: 'pool', output: { asset: 'mint' } });
    const question = { start: 'pool', counterparty: 'bob', amount: 30e-9, atUnixSeconds: 20 };
    const { hops, end } = await ask(story, question);
    expect(hops).toEqual([]);
    expect(end).toMatchObject({ reason: 'no_data', because: 'unpaid' });
  });

  test('of which one transaction got two assets give the amount once', async () => {
    const trail = await ask([
      arrival,
      { time: 20, swaps: [swap(40n, 'a'), swap(40n, 'b')] },
      { time: 21, moves: [move('bob', 'carol', 60n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
  });

  test('of which one transaction got two assets count for both of them', async () => {
    const { end } = await ask([
      arrival,
      { time: 20, hash: 'both', swaps: [swap(60n, 'a'), swap(60n, 'b')] },
      { time: 21, swaps: [swap(40n, 'b')] },
    ]);
    expect(end).toMatchObject({ reason: 'dex_swap', output: { asset: 'b' }, signature: 'both' });
  });

  test('that carried less than the largest transfer are a branch through their pool', async () => {
    const { end } = await ask([
      arrival,
      { time: 20, hash: 's', swaps: [swap(30n, 'mint')] },
      { time: 21, moves: [move('bob', 'x', 40n), move('bob', 'y', 30n)] },
    ]);
    expect(end).toMatchObject({
      reason: 'split',
      branches: [{ to: 'x' }, { to: 'pool', signature: 's', amountRaw: 30n }, { to: 'y' }],
    });
  });

  test('into many assets that no list names ask for all of them at once', async () => {
    const into = Array.from({ length: 30 }, (_, n) => ({ time: 20 + n, swaps: [swap(1n, `mint ${n}`)] }));
    const story = [arrival, ...into, { time: 60, moves: [move('bob', 'carol', 70n)] }];
    const asked: number[] = [];
    const memory = createMemoryAssetReader();
    const assets: AssetReader = {
      assets: (common, unknown, limits) => {
        asked.push(unknown.length);
        return memory.assets(common, unknown, limits);
      },
    };
    const trail = await follow(toFollowRequest({}), { ...followWith(readStory(story)), assets });
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.hops[1]?.others).toHaveLength(20);
    expect(asked).toEqual([20]);
  });

  test('for the coin that nobody gave are a branch whose address is one', async () => {
    const { wrappedNative } = findChain('ethereum') ?? {};
    const issued = {
      owner: 'alice',
      gaveAsset: 'mint',
      gaveRaw: 30n,
      gotAsset: 'native',
      gotRaw: 5n,
      through: null,
    };
    const paid = ['x', 'y'].map((to) => move('alice', to, 30n, { asset: 'mint' }));
    const { end } = await ask(
      [
        { time: 20, by: 'alice', swaps: [issued] },
        { time: 21, by: 'alice', moves: paid },
      ],
      { chain: 'ethereum', canonicalAsset: 'mint' },
    );
    if (end.reason !== 'split') throw new Error(end.reason);
    expect(end.branches.map(({ to }) => to)).toContain(wrappedNative);
  });

  test('into the wrapped coin are not swaps', async () => {
    const wrapped = findChain('solana')?.wrappedNative ?? '';
    const trail = await ask([
      arrival,
      { time: 20, moves: [move('bob', 'carol', 100n)], swaps: [swap(100n, wrapped)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
  });

  test('can be followed on from their own answer', async () => {
    const story = [
      arrival,
      {
        time: 20,
        moves: [move('bob', 'pool', 100n), move('pool', 'bob', 5n, { asset: 'mint' })],
        swaps: [swap(100n, 'mint')],
      },
      { time: 20, moves: [move('bob', 'carol', 5n, { asset: 'mint' })] },
    ];
    const { end } = await ask(story);
    if (end.reason !== 'dex_swap' || end.output === null) throw new Error(end.reason);
    const onward = await ask(story, {
      start: end.address,
      canonicalAsset: end.output.asset,
      atUnixSeconds: end.timeUnixSeconds,
    });
    expect(path(onward)).toEqual(['bob>carol']);
  });
});
