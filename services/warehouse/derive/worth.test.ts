import { expect, test } from 'vitest';
import { CHAINS } from '../../investigate/model/chain.ts';
import { KNOWN_ASSETS } from '../../investigate/model/known-assets.ts';
import { dollarsOf } from './worth.ts';

test('of every coin and listed token it is said about what one is worth', () => {
  const coins = CHAINS.map(({ native }) => ({ symbol: native.symbol, stablecoin: false }));
  const unsaid = [...coins, ...KNOWN_ASSETS].filter((asset) => dollarsOf(asset) === null);
  expect(unsaid).toEqual([]);
});
