import { describe, expect, test } from 'vitest';
import {
  followAndTell as follow,
  followWith,
  path,
  readStory,
  toFollowRequest,
} from '../../../testing/ask-follow.ts';
import type { MovementPlan } from '../../../testing/build-block.ts';
import { move } from '../../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';

describe.each([
  ['ethereum', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 10n ** 18n],
  ['solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 10n ** 9n],
])('a sale on %s into a token that anybody can make', (chain, usdc, coin) => {
  const FAKE = '0x00000000000000000000000000000000000000fa';
  const quote = (canonicalAsset: string, usd: number) => ({
    ...{ chain, canonicalAsset, usd, source: 'market' as const, span: 'hour' as const },
    ...{ beginUnixSeconds: 0, atUnixSeconds: 20 },
  });
  const run = (paid: readonly MovementPlan[], usd: Readonly<Record<string, number>> = {}, by = 'alice') => {
    const story = [
      { time: 10, by: 'victim', moves: [move('victim', 'alice', 100n * coin)] },
      { time: 20, by, moves: [move('alice', 'bob', 100n * coin), ...paid] },
      { time: 30, moves: [move('bob', 'cash', 100n * coin)] },
    ];
    const request = toFollowRequest({ chain, start: 'victim' });
    const prices = createMemoryPriceReader(
      Object.entries({ native: 4_000, ...usd }).map(([canonicalAsset, one]) => quote(canonicalAsset, one)),
    );
    return follow(request, { ...followWith(readStory(story, chain)), prices });
  };
  const followed = ['victim>alice', 'alice>bob', 'bob>cash'];

  test('is none where somebody is logged to have got it: the trail goes on and names nobody else', async () => {
    expect(path(await run([move('bob', 'innocent', 1n, { asset: FAKE })]))).toEqual(followed);
  });

  test('is none either where an allowance drain is said to have paid its victim', async () => {
    expect(path(await run([move('bob', 'alice', 1n, { asset: FAKE })], {}, 'thief'))).toEqual(followed);
  });

  test('ends the trail where who sent the transaction got it, though nobody trades it', async () => {
    const { end } = await run([move('bob', 'owner', 1n, { asset: FAKE })], {}, 'owner');
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'owner', output: { asset: FAKE } });
  });

  test('ends the trail with whoever got it where it is known to be worth what was sold', async () => {
    const paid = [move('bob', 'carol', 40n, { asset: FAKE })];
    const { end } = await run(paid, { [FAKE]: 1_000 });
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', output: { asset: FAKE } });
    expect(path(await run(paid, { [FAKE]: 999 }))).toEqual(followed);
  });

  test('stands in place of no honest proceeds, neither before nor behind them, however many are logged', async () => {
    const logged = Array.from({ length: 30 }, (_, n) =>
      move('bob', 'innocent', 1n, { asset: `0x00000000000000000000000000000000000001${n + 10}` }),
    );
    const onward = move('carol', 'innocent', 1n, { asset: FAKE });
    const { end } = await run([...logged, move('bob', 'carol', 390_000_000_000n, { asset: usdc }), onward]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', output: { asset: usdc } });
  });

  test('leads through nobody who sold something else for little in the same transaction', async () => {
    const aside = [
      move('bob', 'pool', 1n, { asset: FAKE }),
      move('pool', 'innocent', 3_000_000n, { asset: usdc }),
    ];
    expect(path(await run(aside))).toEqual(followed);
  });
});
