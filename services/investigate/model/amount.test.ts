import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toShare, toWholeUnits } from './amount.ts';

test.each([
  [1_500_000n, 6, 1.5],
  [0n, 9, 0],
  [1n, 18, 1e-18],
  [-25n, 1, -2.5],
  [123n, 0, 123],
  [123n, null, 123],
  [100_000_000_000_000_000_000_000_000n, 18, 100_000_000],
  // Dividing the double nearest to the raw count would give 0.30000000000000004.
  [300_000_000_000_000_000n, 18, 0.3],
])('%s raw units at %s decimals are %s', (raw, decimals, expected) => {
  expect(toWholeUnits(raw, decimals)).toBe(expected);
});

test('an amount in answers is the double nearest to the exact decimal', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.integer({ min: 1, max: 30 }),
      (raw, decimals) => {
        expect(toWholeUnits(raw, decimals)).toBe(Number(`${raw}e-${decimals}`));
      },
    ),
  );
});

test('a share lies within 0 and 1, grows with its part, and is 1 only when all of it arrived', () => {
  const amount = fc.bigInt({ min: 1n, max: 2n ** 255n });
  fc.assert(
    fc.property(amount, amount, amount, (a, b, whole) => {
      const [less, more] = a < b ? [a, b] : [b, a];
      expect(toShare(less, whole)).toBeLessThanOrEqual(toShare(more, whole));
      expect(toShare(more, whole)).toBeLessThanOrEqual(1);
      expect(toShare(less, whole)).toBeGreaterThanOrEqual(0);
      expect(toShare(less, whole) === 1).toBe(less >= whole);
    }),
  );
});
