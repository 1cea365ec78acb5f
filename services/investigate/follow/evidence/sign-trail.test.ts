import { describe, expect, test } from 'vitest';
import { followWith, toFollowRequest } from '../../../testing/ask-follow.ts';
import { move, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import { ReadFailedError } from '../../model/transfer-reader.ts';
import { follow } from '../follow.ts';

describe('what a trail was worth', () => {
  test('is told by the price at the time of each hop, and by nothing where none is known', async () => {
    const quote = { chain: 'solana', family: 'native', source: 'market', span: 'hour', usd: 50 } as const;
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

test('a hop whose place another transaction took meanwhile is refused, and not shown with that one', async () => {
  const paid = (to: string) =>
    createMemoryReader(tellStory('solana', [{ time: 10, hash: `to ${to}`, moves: [move('alice', to, 2n)] }]));
  const { wholeTransactions, transactionHashes } = paid('somebody else');
  const reader = { ...paid('bob'), wholeTransactions, transactionHashes };
  await expect(follow(toFollowRequest({}), followWith(reader))).rejects.toMatchObject({
    code: 'unavailable',
  });
});
