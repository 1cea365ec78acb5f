import { expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import { createMemoryControlReader } from '../../testing/memory/memory-control-reader.ts';
import { createMemoryFunderReader } from '../../testing/memory/memory-funder-reader.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
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

test('coin whose worth is not known is dust by what it was worth in the other payments, and else a loss', async () => {
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('ethereum');
  const steps = [
    pays(0, 'ann', 5_000n * MILLI),
    pays(9 * DAY, 'bea', MILLI / 2n),
    pays(9 * DAY + 9, 'cyd', 100n * MILLI),
  ];
  const blocks = tellStory('ethereum', steps);
  const hour = {
    source: 'market',
    span: 'hour',
    beginUnixSeconds: T - 60,
    atUnixSeconds: T,
    usd: 2_000,
  } as const;
  const report = await findVictims(
    { chain, address: 'thief', fromUnixSeconds: 0, toUnixSeconds: 2 * T, limit: 100 },
    {
      cases: createMemoryCaseReader(blocks),
      funders: createMemoryFunderReader(blocks),
      reader: createMemoryReader(blocks),
      controls: createMemoryControlReader(blocks),
      tokens: createMemoryTokenReader(blocks),
      prices: createMemoryPriceReader([{ ...hour, chain: 'ethereum', canonicalAsset: NATIVE }]),
      assets: createMemoryAssetReader(),
      clock: { nowUnixMs: () => 0 },
      signal: new AbortController().signal,
    },
  );
  expect(report.victims.map(({ address, usd }) => [address, usd])).toEqual([
    ['ann', 10_000],
    ['cyd', null],
  ]);
  expect(report.others).toMatchObject([{ address: 'bea', reason: 'dust' }]);
});
