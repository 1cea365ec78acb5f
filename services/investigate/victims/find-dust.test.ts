import { expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import { createMemoryControlReader } from '../../testing/memory/memory-control-reader.ts';
import { createMemoryFunderReader } from '../../testing/memory/memory-funder-reader.ts';
import { type AssetQuote, createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryTokenReader } from '../../testing/memory/memory-token-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { findChain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import { findVictims } from './find-victims.ts';

const T = 1_700_000_000;
const DAY = 86_400;
const MILLI = 10n ** 15n;

const pays = (at: number, from: string, raw: bigint): StoryStep => ({
  ...{ time: T + at, by: from, moves: [move(from, 'thief', raw)] },
});

const ethereum = findChain('ethereum');
const find = (steps: readonly StoryStep[], prices: readonly AssetQuote[]) => {
  if (ethereum === null) throw new Error('ethereum');
  const blocks = tellStory('ethereum', steps);
  return findVictims(
    { chain: ethereum, address: 'thief', fromUnixSeconds: 0, toUnixSeconds: 2 * T, limit: 100 },
    {
      cases: createMemoryCaseReader(blocks),
      funders: createMemoryFunderReader(blocks),
      reader: createMemoryReader(blocks),
      controls: createMemoryControlReader(blocks),
      tokens: createMemoryTokenReader(blocks),
      prices: createMemoryPriceReader(prices),
      assets: createMemoryAssetReader(),
      clock: { nowUnixMs: () => 0 },
      signal: new AbortController().signal,
    },
  );
};

test('coin whose worth is not known is dust by what it was worth in the other payments, and else a loss', async () => {
  const steps = [
    pays(0, 'ann', 5_000n * MILLI),
    pays(9 * DAY, 'bea', MILLI / 2n),
    pays(9 * DAY + 9, 'cyd', 100n * MILLI),
  ];
  const hour = { source: 'market', span: 'hour', beginUnixSeconds: T - 60, atUnixSeconds: T } as const;
  const report = await find(steps, [{ ...hour, usd: 2_000, chain: 'ethereum', canonicalAsset: NATIVE }]);
  expect(report.victims.map(({ address, usd }) => [address, usd])).toEqual([
    ['ann', 10_000],
    ['cyd', null],
  ]);
  expect(report.others).toMatchObject([{ address: 'bea', reason: 'dust' }]);
});

test('coin without any price is dust beside the usual payment, but never much more than a plain transfer costs', async () => {
  const report = await find(
    [
      pays(0, 'ann', 5_000n * MILLI),
      pays(10, 'bea', MILLI / 2n),
      pays(20, 'cyd', 3n * MILLI),
      // As many tiny payments as anybody likes do not change what is usual.
      ...Array.from({ length: 20 }, (_, at) => pays(30 + at, `dust-${at}`, MILLI / 2n)),
    ],
    [],
  );
  expect(report.victims.map(({ address }) => address).toSorted()).toEqual(['ann', 'cyd']);
  const small = await find([pays(0, 'ann', 40n * MILLI), pays(10, 'bea', MILLI / 2n)], []);
  expect(small.victims).toHaveLength(2);
});
