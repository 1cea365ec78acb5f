import { describe, expect, test } from 'vitest';
import {
  followAndTell as follow,
  followWith,
  path,
  type Question,
  readStory,
  toFollowRequest,
} from '../../testing/ask-follow.ts';
import type { MovementPlan } from '../../testing/build-block.ts';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import type { TransferReader } from '../model/transfer-reader.ts';
import { SALE_ROWS_MAX } from './rules.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f';
const FAKE = '0x00000000000000000000000000000000000000fa';

/** As many as anybody can log of a token of his own. */
const padding = (rows: number): MovementPlan[] =>
  Array.from({ length: rows }, (_, n) => move(`x${n}`, `y${n}`, 1n, { asset: FAKE }));

/** Of transactions so few rows come with a question. */
const ask = (story: readonly StoryStep[], question: Question, rowsAtOnce = SALE_ROWS_MAX) => {
  const memory = readStory(story, 'ethereum');
  const reader: TransferReader = {
    ...memory,
    wholeTransactions: (common, ...asked) =>
      memory.wholeTransactions({ ...common, limit: rowsAtOnce }, ...asked),
  };
  return follow(toFollowRequest({ chain: 'ethereum', ...question }), followWith(reader));
};

const hop = (at: number, padded: readonly MovementPlan[] = []): StoryStep => ({
  ...{ time: 10 + at, by: `w${at}` },
  moves: [...padded, move(`w${at}`, `w${at + 1}`, 100n)],
});
const soldBy = (seller: string, padded: readonly MovementPlan[] = []): StoryStep => ({
  ...{ time: 20, by: seller },
  moves: [move(seller, 'router', 100n), ...padded, move('router', 'carol', 400_000_000n, { asset: USDC })],
});
const nextCustomer = { time: 30, moves: [move('router', 'innocent', 100n)] };

describe('a sale ends the trail', () => {
  test('though its payout stands behind ten thousand rows of the same transaction', async () => {
    const trail = await ask([hop(0), soldBy('w1', padding(10_000)), nextCustomer], { start: 'w0' });
    expect(trail.end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
    expect(trail.isComplete).toBe(true);
  });

  test('though the hops before it fill what is read at once', async () => {
    const story = [0, 1, 2].map((at) => hop(at, padding(40)));
    const trail = await ask([...story, soldBy('w3'), nextCustomer], { start: 'w0' }, 100);
    expect(trail.end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
    expect(trail.isComplete).toBe(true);
  });

  test.each([1, 2])(
    'though %i before it hold more than can be read, which are told of alone',
    async (full) => {
      const story = [0, 1, 2].map((at) => hop(at, padding(at < full ? 100 : 0)));
      const trail = await ask([...story, soldBy('w3'), nextCustomer], { start: 'w0' }, 100);
      expect(trail.end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
      expect(trail.end.detail.match(/too much happened/g)).toHaveLength(full);
      expect(trail.isComplete).toBe(false);
    },
  );
});

test('a transaction of which there is too much to read may have been a sale, and the answer says so', async () => {
  const trail = await ask([hop(0), soldBy('w1', padding(100)), nextCustomer], { start: 'w0' }, 100);
  expect(path(trail)).toEqual(['w0>w1', 'w1>router', 'router>innocent']);
  expect(trail.isComplete).toBe(false);
  expect(trail.end.detail).toMatch(/Between \S+ and \S+ the money may have been sold: too much happened/);
});

test.each([
  ['stands behind ten thousand rows', 10_000, SALE_ROWS_MAX],
  ['cannot be read', 100, 100],
])('a crumb that %s makes no swap of a drain', async (_, rows, atOnce) => {
  const given = { owner: 'alice', gaveAsset: USDC, gaveRaw: 100_000_000n, through: 'stash' };
  const taken: StoryStep = {
    ...{ time: 20, by: 'drainer' },
    moves: [
      ...padding(rows),
      move('alice', 'stash', 100_000_000n, { asset: USDC, authority: 'contract' }),
      move('stash', 'alice', 10n ** 12n, { asset: DAI, authority: 'contract' }),
    ],
    swaps: [{ ...given, gotAsset: DAI, gotRaw: 10n ** 12n }],
  };
  const onward = { time: 30, moves: [move('stash', 'cash', 100_000_000n, { asset: USDC })] };
  const trail = await ask([taken, onward], { canonicalAsset: USDC, atUnixSeconds: 0 }, atOnce);
  expect(path(trail)).toEqual(['alice>stash', 'stash>cash']);
});
