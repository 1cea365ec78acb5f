import { expect, test } from 'vitest';
import { followWith, readStory, toFollowRequest } from '../../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';
import type { Moment, PriceReader } from '../../model/price-reader.ts';
import { follow } from '../follow.ts';
import { SALE_MOMENTS_MAX } from '../rules.ts';
import { takeEvenly } from './find-sale.ts';

test('a long list leaves out nothing of the short ones', () => {
  expect(takeEvenly([[1, 2, 3, 4, 5], [6], [], [7, 8]], 6)).toEqual([1, 6, 7, 2, 8, 3]);
  expect(takeEvenly([[1], [2, 3]], 100)).toEqual([1, 2, 3]);
});

test('a trail filled with tokens asks for so many prices, and for those of its last hop all the same', async () => {
  const filled = (hop: number): StoryStep[] =>
    Array.from({ length: 20 }, (_, part) => ({
      ...{ time: 1_000 + hop * 100 + part, by: `w${hop}` },
      moves: [
        move(`w${hop}`, `w${hop + 1}`, 5n),
        ...Array.from({ length: 100 }, (_, n) =>
          move(`w${hop + 1}`, 'nobody', 1n, { asset: `token ${hop} ${part} ${n}` }),
        ),
      ],
    }));
  const story = [0, 1, 2, 3, 4, 5].flatMap(filled);
  const asked: Moment[][] = [];
  const prices = createMemoryPriceReader();
  const counting: PriceReader = {
    prices: (common, moments, limits) => {
      asked.push([...moments]);
      return prices.prices(common, moments, limits);
    },
  };
  const reader = readStory(story, 'ethereum');
  const request = toFollowRequest({ chain: 'ethereum', start: 'w0' });
  const { hops } = await follow(request, { ...followWith(reader), prices: counting });
  expect(hops).toHaveLength(6);
  const most = asked.reduce((largest, moments) => (moments.length > largest.length ? moments : largest));
  expect(most).toHaveLength(SALE_MOMENTS_MAX);
  for (const time of [1_000, 1_519])
    expect(most.filter(({ timeUnixSeconds }) => timeUnixSeconds === time).length).toBeGreaterThan(80);
});
