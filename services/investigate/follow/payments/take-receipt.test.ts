import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Inflow } from './claim-parts.ts';
import { compareOnTrail, type Outgoing } from './outgoing.ts';
import { createTakeReceipt } from './take-receipt.ts';

type Moved = { readonly time: number; readonly amountRaw: bigint };
const at = ({ time, amountRaw }: Moved) => ({ blockTime: time, blockNumber: time, txIndex: 0, amountRaw });
const toInflow = (moved: Moved): Inflow => ({ ...at(moved), isOwn: false, isUsed: false });
const toPayment = (moved: Moved): Outgoing => ({ ...at(moved), type: 'transfer', to: 'x' });

const moved = fc.record({
  time: fc.integer({ min: 0, max: 30 }),
  amountRaw: fc.oneof(fc.constant(100n), fc.bigInt(90n, 110n)),
});

describe.each([
  ['what a payment passes on is the last unused receipt before it that carries as much but for 2 %', false],
  [
    'backward, what a receipt was passed on by is the first unused payment after it that carries so much',
    true,
  ],
])('%s', (_, backward) => {
  test('whatever came and left', () => {
    const compare = compareOnTrail(backward);
    fc.assert(
      fc.property(fc.array(moved), fc.array(moved), (came, left) => {
        const inflows = came.map(toInflow).sort((a, b) => Number(a.amountRaw - b.amountRaw));
        const takeReceipt = createTakeReceipt(inflows, backward);
        for (const payment of left.map(toPayment).sort(compare)) {
          const unused = inflows.filter(({ isUsed }) => !isUsed);
          const fitting = unused
            .filter(({ amountRaw }) => {
              const [came, paid] = backward ? [payment.amountRaw, amountRaw] : [amountRaw, payment.amountRaw];
              return came >= paid && paid * 100n >= came * 98n;
            })
            .filter((inflow) => compare(inflow, payment) <= 0)
            .reduce<Inflow | null>(
              (best, inflow) => (best === null || compare(best, inflow) < 0 ? inflow : best),
              null,
            );
          expect(takeReceipt(payment)).toBe(fitting);
          expect(unused.filter(({ isUsed }) => isUsed)).toEqual(fitting === null ? [] : [fitting]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

test('a hundred thousand equal receipts are not walked over for each of as many payments', () => {
  const many = Array.from({ length: 100_000 }, (_, time) => ({ time, amountRaw: 1_000n }));
  const inflows = many.map(toInflow);
  const takeReceipt = createTakeReceipt(inflows, false);
  for (const [time, { amountRaw }] of many.entries())
    expect(takeReceipt(toPayment({ time: 100_000 + time, amountRaw }))).toBe(inflows.at(-1 - time));
  expect(takeReceipt(toPayment({ time: 300_000, amountRaw: 1_000n }))).toBeNull();
});
