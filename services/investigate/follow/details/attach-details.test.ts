import { describe, expect, test } from 'vitest';
import { followWith, readStory, toFollowRequest } from '../../../testing/ask-follow.ts';
import { move, type StoryStep, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import type { DecodedBlock } from '../../model/block.ts';
import { ReadFailedError } from '../../model/transfer-reader.ts';
import { follow } from '../follow.ts';

describe('what a trail was worth', () => {
  test('is told by the price at the time of each hop, and by nothing where none is known', async () => {
    const quote = {
      chain: 'solana',
      canonicalAsset: 'native',
      source: 'market',
      span: 'hour',
      usd: 50,
    } as const;
    const at = { beginUnixSeconds: 0, atUnixSeconds: 1_800 };
    const day = 86_400;
    const blocks = tellStory('solana', [
      { time: 10, moves: [move('alice', 'bob', 2_000_000_000n)] },
      { time: day, moves: [move('bob', 'carol', 2_000_000_000n)] },
    ]);
    const priced = createMemoryPriceReader([{ ...quote, ...at }]);
    const dependencies = { ...followWith(createMemoryReader(blocks)), prices: priced };
    const { hops } = await follow(toFollowRequest({}), dependencies);
    expect(hops.map(({ usd, usdSource }) => [usd, usdSource])).toEqual([
      [100, 'market'],
      [null, null],
    ]);
  });

  test('is left out where prices cannot be read: the trail stands without', async () => {
    const blocks = tellStory('solana', [{ time: 10, moves: [move('alice', 'bob', 2n)] }]);
    const broken = { prices: () => Promise.reject(new ReadFailedError('unavailable')) };
    const dependencies = { ...followWith(createMemoryReader(blocks)), prices: broken };
    expect((await follow(toFollowRequest({}), dependencies)).hops).toMatchObject([
      { usd: null, usdSource: null },
    ]);
  });
});

describe('what another transaction took the place of meanwhile is refused, and not shown with that one', () => {
  /** The trail of a story, in whose place others stand by the time its transactions are named. */
  const showing = (story: readonly StoryStep[], meanwhile: readonly DecodedBlock[]) => {
    const { wholeTransactions, transactionHashes } = createMemoryReader(meanwhile);
    const reader = { ...readStory(story), wholeTransactions, transactionHashes };
    return follow(toFollowRequest({}), followWith(reader));
  };
  const tell = (...steps: StoryStep[]) => tellStory('solana', steps);
  /** A block of the same number comes at another time, whatever is in it. */
  const tellLater = (step: StoryStep) =>
    tell(step).map((block) => ({ ...block, timeUnixSeconds: step.time + 1 }));
  const refused = { code: 'unavailable' };
  const paid = { time: 10, moves: [move('alice', 'bob', 2n)] };

  test.each([
    ['that paid somebody else', [move('alice', 'somebody else', 2n)]],
    ["by which somebody else paid the hop's wallet", [move('somebody else', 'bob', 2n)]],
    ['that paid less', [move('alice', 'bob', 1n)]],
    ['that paid another asset', [move('alice', 'bob', 2n, { asset: 'mint' })]],
  ])('a hop, by one %s', async (_, moves) => {
    await expect(showing([paid], tell({ time: 10, moves }))).rejects.toMatchObject(refused);
  });

  test('a hop of whose transactions that was not the largest', async () => {
    const more = { time: 20, moves: [move('alice', 'bob', 1n)] };
    const other = { time: 20, moves: [move('alice', 'somebody else', 1n)] };
    await expect(showing([paid, more], tell(paid, other))).rejects.toMatchObject(refused);
  });

  test('a branch', async () => {
    const branch = { time: 20, moves: [move('alice', 'carol', 1n)] };
    const meanwhile = [...tell(paid), ...tellLater(branch)];
    await expect(showing([paid, branch], meanwhile)).rejects.toMatchObject(refused);
  });

  test('a swap', async () => {
    const sold = { gaveAsset: 'native', gaveRaw: 2n, gotAsset: 'mint', gotRaw: 1n, through: null };
    const swap = { time: 10, moves: [move('alice', 'pool', 2n)], swaps: [{ owner: 'alice', ...sold }] };
    await expect(showing([swap], tellLater(swap))).rejects.toMatchObject(refused);
  });
});
