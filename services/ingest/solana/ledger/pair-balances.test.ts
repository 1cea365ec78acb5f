import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pairBalances } from './pair-balances.ts';

const changes = (told: Record<string, bigint>): Map<string | null, bigint> =>
  new Map(Object.entries(told).map(([party, change]) => [party === 'nobody' ? null : party, change]));

test('equal amounts are paired with each other first', () => {
  const pairs = pairBalances(changes({ a: -7n, b: -5n, c: 5n, d: 7n }));
  expect(pairs).toEqual([
    { from: 'a', to: 'd', amountRaw: 7n },
    { from: 'b', to: 'c', amountRaw: 5n },
  ]);
});

test('one that lost pays all who won, largest first', () => {
  expect(pairBalances(changes({ small: 1n, pool: -10n, large: 9n }))).toEqual([
    { from: 'pool', to: 'large', amountRaw: 9n },
    { from: 'pool', to: 'small', amountRaw: 1n },
  ]);
});

test('of equal amounts the one that was met first comes first', () => {
  const order = ['a', 'b', 'c'];
  expect(pairBalances(changes({ a: -5n, b: -5n, c: -5n, pool: 15n })).map(({ from }) => from)).toEqual(order);
  expect(pairBalances(changes({ a: 5n, b: 5n, c: 5n, pool: -15n })).map(({ to }) => to)).toEqual(order);
});

test('what does not sum to zero is paired with nobody', () => {
  expect(pairBalances(changes({ a: -7n, b: 5n }))).toEqual([
    { from: 'a', to: 'b', amountRaw: 5n },
    { from: 'a', to: null, amountRaw: 2n },
  ]);
});

test('pairs restore every change, number at most losers + winners − 1, and repeat for the same changes', () => {
  const amounts = fc.array(fc.bigInt({ min: -1_000n, max: 1_000n }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(amounts, (list) => {
      const total = list.reduce((sum, amount) => sum + amount, 0n);
      const balanced = new Map<string | null, bigint>(
        [...list, -total].map((amount, i) => [`p${i}`, amount]),
      );
      const pairs = pairBalances(balanced);
      const restored = new Map<string | null, bigint>();
      for (const { from, to, amountRaw } of pairs) {
        expect(amountRaw).toBeGreaterThan(0n);
        restored.set(from, (restored.get(from) ?? 0n) - amountRaw);
        restored.set(to, (restored.get(to) ?? 0n) + amountRaw);
      }
      for (const [party, change] of balanced) expect(restored.get(party) ?? 0n).toBe(change);
      const moved = [...balanced.values()].filter((change) => change !== 0n).length;
      expect(pairs.length).toBeLessThanOrEqual(Math.max(0, moved - 1));
      expect(pairBalances(balanced)).toEqual(pairs);
    }),
  );
});
