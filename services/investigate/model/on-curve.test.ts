import { expect, test } from 'vitest';
import { isOnCurve } from './on-curve.ts';

test.each([
  // Wallets and mints whose keys were generated.
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', true],
  ['2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo', true],
  // Authorities that programs derive: Raydium's of its pools, and pump.fun's global state.
  ['5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1', false],
  ['4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf', false],
  ['not an address', false],
])('somebody can hold the key of %s: %s', (address, expected) => {
  expect(isOnCurve(address)).toBe(expected);
});
