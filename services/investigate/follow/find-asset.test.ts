import { expect, test } from 'vitest';
import { followAndTell as follow, followWith, toFollowRequest } from '../../testing/ask-follow.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';

const asset = '0x00000000000000000000000000000000000000aa';
const story = tellStory('ethereum', [
  { time: 10, by: 'alice', moves: [move('alice', 'bob', 250n, { asset })] },
]);

test('a token that no list names is called what it says itself, in its own units, for one question a trail', async () => {
  const claims = new Map([[`ethereum:${asset}`, { symbol: 'ALDER', decimals: 2 }]]);
  const known = createMemoryAssetReader(claims);
  let questions = 0;
  const assets: typeof known = {
    assets: (...request) => {
      questions += 1;
      return known.assets(...request);
    },
  };
  const dependencies = { ...followWith(createMemoryReader(story)), assets };
  const trail = await follow(toFollowRequest({ chain: 'ethereum', canonicalAsset: asset }), dependencies);
  expect(trail.asset).toEqual({ canonicalAsset: asset, symbol: 'ALDER', decimals: 2 });
  expect(trail.end.detail).toContain('ALDER');
  expect(questions).toBe(1);
});

test('nothing is asked about a listed asset', async () => {
  const assets = { assets: () => Promise.reject(new Error('nobody needs to ask')) };
  const dependencies = { ...followWith(createMemoryReader(story)), assets };
  const { asset: coin } = await follow(toFollowRequest({ chain: 'ethereum' }), dependencies);
  expect(coin).toEqual({ canonicalAsset: 'native', symbol: 'ETH', decimals: 18 });
});
