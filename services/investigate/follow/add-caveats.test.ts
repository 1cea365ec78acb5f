import { describe, expect, test } from 'vitest';
import {
  followAndTell as follow,
  followWith,
  path,
  type Question,
  readStory,
  toFollowRequest,
} from '../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../testing/chain-story.ts';

/** With four rows of a wallet at most. */
const ask = (story: readonly StoryStep[], question: Question = {}) =>
  follow(toFollowRequest({ atUnixSeconds: 0, ...question }), followWith(readStory(story)), {
    budgetMs: 90_000,
    pages: { firstRows: 2, nextRows: 2, maxRows: 4 },
  });
const said = 'alice is a busy wallet: only the first 4 of its movements after the money arrived were read.';

const small = (more: Partial<StoryStep> = {}, to = 'bob') =>
  [11, 12, 13, 14].map((time) => ({ time, moves: [move('alice', to, 1n)], ...more }));
const large = { time: 20, moves: [move('alice', 'thief', 1_000_000n)] };

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('a wallet of which only a part was read', () => {
  test('is said to be one where it chose a hop, wherever the trail ends', async () => {
    const trail = await ask([...small(), large, { time: 30, moves: [move('bob', 'carol', 4n)] }]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol']);
    expect(trail.end.detail).toBe(
      `As of block 31, 1970-01-01T00:00:30.000Z: carol has sent none of it on (SOL). ${said}`,
    );
  });

  test('is said to be one where it chose a swap', async () => {
    const swap = { owner: 'alice', gaveAsset: 'native', gaveRaw: 1n, gotAsset: 'usd', gotRaw: 1n };
    const { end } = await ask([...small({ swaps: [{ ...swap, through: 'pool' }], moves: [] }), large]);
    expect(end.detail).toBe(`alice swapped 0.000000004 SOL into usd through pool. ${said}`);
  });

  test('is said to be one where the hop that it chose was a sale', async () => {
    const moves = [move('alice', 'pool', 1n), move('pool', 'carol', 7_000_000n, { asset: USDC })];
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
    expect(end.detail).toBe('As of block 31, 1970-01-01T00:00:30.000Z: carol has sent none of it on (SOL).');
  });
});

describe('a payer of whom only a part was read', () => {
  const since = 'alice is a busy wallet: only the first 4 of its movements since then were read.';

  test('is said to be one where no payment of his was found, and where more of them may follow', async () => {
    const question = { start: 'thief', counterparty: 'alice' };
    const { end } = await ask([...small(), large], question);
    expect(end.detail).toBe(`No payment (SOL) from alice to thief is known since then. ${since}`);
    const part = { time: 12, moves: [move('alice', 'thief', 5n)] };
    const onward = { time: 30, moves: [move('thief', 'cash', 5n)] };
    const trail = await ask([...small(), part, large, onward], question);
    expect(path(trail)).toEqual(['thief>cash']);
    expect(trail.end.detail).toBe(
      `As of block 31, 1970-01-01T00:00:30.000Z: cash has sent none of it on (SOL). ${since}`,
    );
    const resting = await ask([...small(), part, large], question);
    expect(resting.end).toMatchObject({ reason: 'at_rest', detail: expect.stringContaining(since) });
  });

  test('is not spoken of where the amount that was named had been paid by then', async () => {
    const story = [{ time: 10, moves: [move('alice', 'thief', 5n)] }, ...small(), large];
    const { end } = await ask(story, { start: 'thief', counterparty: 'alice', amount: 5e-9 });
    expect(end.detail).toBe('As of block 21, 1970-01-01T00:00:20.000Z: thief has sent none of it on (SOL).');
  });
});
