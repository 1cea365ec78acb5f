import { expect, test } from 'vitest';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { findChain } from '../model/chain.ts';
import { openFollow } from './follow-reader.ts';
import { readAssets } from './read-assets.ts';

test('any number of assets are told, each as often as it was asked for', async () => {
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('ethereum');
  const tokens = Array.from({ length: 60_000 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`);
  const claims = new Map(tokens.map((token, n) => [`ethereum:${token}`, { symbol: `T${n}`, decimals: 6 }]));
  const readers = {
    ...{ reader: createMemoryReader([]), prices: createMemoryPriceReader() },
    assets: createMemoryAssetReader(claims),
  };
  const { signal } = new AbortController();
  const { reads } = openFollow({ ...readers, clock: { nowUnixMs: () => 0 }, signal }, { ms: 60_000 });
  const canonicalAssets = ['native', ...tokens.toReversed(), ...tokens];
  const assets = canonicalAssets.map(await readAssets(chain, canonicalAssets, reads));
  expect(assets.map(({ canonicalAsset }) => canonicalAsset)).toEqual(canonicalAssets);
  expect(assets[0]).toMatchObject({ symbol: 'ETH', decimals: 18 });
  expect(assets.slice(-2)).toEqual(
    [59_998, 59_999].map((n) => ({ canonicalAsset: tokens[n], symbol: `T${n}`, decimals: 6 })),
  );
});
