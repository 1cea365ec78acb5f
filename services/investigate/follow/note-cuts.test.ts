import { describe, expect, test } from 'vitest';
import { followWith, path, toFollowRequest } from '../../testing/ask-follow.ts';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { follow } from './follow.ts';

/** With four rows of a wallet at most. */
const ask = (story: readonly StoryStep[], start = 'alice') =>
  follow(
    toFollowRequest({ start, atUnixSeconds: 0 }),
    followWith(createMemoryReader(tellStory('solana', story))),
    { budgetMs: 90_000, pages: { firstRows: 2, nextRows: 2, maxRows: 4 } },
  );
const said = 'alice is a busy wallet: only the first 4 of its movements after the money arrived were read.';

const small = (more: Partial<StoryStep> = {}, to = 'bob') =>
  [11, 12, 13, 14].map((time) => ({ time, moves: [move('alice', to, 1n)], ...more }));
const large = { time: 20, moves: [move('alice', 'thief', 1_000_000n)] };

describe('a wallet of which only a part was read', () => {
  test('is said to be one where it chose a hop, wherever the trail ends', async () => {
    const trail = await ask([...small(), large, { time: 30, moves: [move('bob', 'carol', 4n)] }]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.end.detail).toBe(`carol has sent none of it on (SOL). ${said}`);
  });

  test('is said to be one where it chose a swap', async () => {
    const swap = { owner: 'alice', gaveAsset: 'native', gaveRaw: 1n, gotAsset: 'usd', gotRaw: 1n };
    const { end } = await ask([...small({ swaps: [{ ...swap, through: 'pool' }], moves: [] }), large]);
    expect(end.detail).toBe(`alice swapped 4e-9 SOL into usd. ${said}`);
  });

  test('is said to be one where the hop that it chose was a sale', async () => {
    const moves = [move('alice', 'pool', 1n), move('pool', 'carol', 7n, { asset: 'usd' })];
    const { end } = await ask([...small({ by: 'alice', moves }), large]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
    expect(end.detail).toContain(said);
  });

  test('is said to be one where the money split or rests there', async () => {
    const apart = ['x', 'y', 'z', 'w'].flatMap((to, n) => small({}, to).slice(n, n + 1));
    const { end } = await ask([...apart, large]);
    expect(end.reason).toBe('split');
    expect(end.detail).toContain(said);
  });

  test('is not spoken of where all that counts was read', async () => {
    const { end } = await ask([...small(), { time: 30, moves: [move('bob', 'carol', 4n)] }]);
    expect(end.detail).toBe('carol has sent none of it on (SOL).');
  });
});
