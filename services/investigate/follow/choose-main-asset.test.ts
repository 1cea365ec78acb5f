import { describe, expect, test } from 'vitest';
import { ask, followWith, type Question, readStory, toFollowRequest } from '../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { findChain } from '../model/chain.ts';
import { follow } from './follow.ts';

describe('the asset, when none is named', () => {
  const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const usdt = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
  const assetOf = async (story: readonly StoryStep[], question: Question = {}) =>
    (await ask(story, { canonicalAsset: null, ...question })).asset.canonicalAsset;

  test('is the coin or a stablecoin before any other token that left earlier', async () => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 9n, { asset: 'mint' })] },
      { time: 20, moves: [move('alice', 'bob', 9n)] },
    ];
    expect(await assetOf(story)).toBe('native');
  });

  test('among stablecoins is the one of which more dollars left', async () => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 9_000_000n, { asset: usdc })] },
      { time: 20, moves: [move('alice', 'bob', 10_000_000n, { asset: usdt })] },
    ];
    expect(await assetOf(story)).toBe(usdt);
  });

  test('is not the coin because some of it was wrapped: that stayed where it was', async () => {
    const { wrappedNative } = findChain('ethereum') ?? {};
    const usdcOnEthereum = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
    const wrap = { kind: 'wrap', asset: wrappedNative ?? '' } as const;
    const story = (from: string, to: string) => [
      { time: 1, moves: [move('alice', 'old friend', 1n, { asset: wrappedNative ?? '' })] },
      { time: 10, moves: [move('alice', wrappedNative ?? '', 9n), move(null, 'alice', 9n, wrap)] },
      { time: 20, moves: [move(from, to, 9n, { asset: usdcOnEthereum })] },
      { time: 30, moves: [move(wrappedNative ?? '', 'alice', 9n)] },
    ];
    const question = { chain: 'ethereum', atUnixSeconds: 5 };
    expect(await assetOf(story('alice', 'bob'), question)).toBe(usdcOnEthereum);
    const back = { chain: 'ethereum', backward: true };
    expect(await assetOf(story('bob', 'alice'), back)).toBe(usdcOnEthereum);
  });

  test('beside the coin, whose dollar value is unknown, is what left first', async () => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 9n, { asset: usdc })] },
      { time: 20, moves: [move('alice', 'bob', 10_000_000_000n)] },
    ];
    expect(await assetOf(story)).toBe(usdc);
    expect(await assetOf(story, { atUnixSeconds: 11 })).toBe('native');
  });

  test('beside the coin, whose price is known, is the one of which more dollars left', async () => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 9_000_000n, { asset: usdc })] },
      { time: 20, moves: [move('alice', 'bob', 1_000_000_000n)] },
    ];
    const at = { beginUnixSeconds: 0, atUnixSeconds: 0, span: 'hour', source: 'market' } as const;
    for (const [usd, canonicalAsset] of [
      [8, usdc],
      [10, 'native'],
    ] as const) {
      const priced = createMemoryPriceReader([{ chain: 'solana', canonicalAsset: 'native', usd, ...at }]);
      const reader = readStory(story);
      const { asset } = await follow(toFollowRequest({ canonicalAsset: null }), {
        ...followWith(reader),
        prices: priced,
      });
      expect(asset.canonicalAsset).toBe(canonicalAsset);
    }
  });

  test('is read backward from what arrived last', async () => {
    const story = [
      { time: 10, moves: [move('bob', 'alice', 9n)] },
      { time: 20, moves: [move('bob', 'alice', 9_000_000n, { asset: usdc })] },
    ];
    expect(await assetOf(story, { backward: true })).toBe(usdc);
    expect(await assetOf(story, { backward: true, atUnixSeconds: 19 })).toBe('native');
  });

  test('is never an unlisted token that somebody else made a log of', async () => {
    const fake = '0x00000000000000000000000000000000000000fa';
    const real = '0x00000000000000000000000000000000000000aa';
    const story = [
      { time: 10, by: 'spammer', moves: [move('alice', 'imitation', 9n, { asset: fake })] },
      { time: 20, by: 'alice', moves: [move('alice', 'bob', 9n, { asset: real })] },
    ];
    expect(await assetOf(story, { chain: 'ethereum' })).toBe(real);
  });
});
