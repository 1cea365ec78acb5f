import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BACKWARD, FORWARD } from '../direction.ts';
import { BLOCK_SECONDS_MAX, PASSAGE_WEIGHT } from '../rules.ts';
import { buildMatchGraph } from './build-match-graph.ts';

const at = (time: number, amountRaw: bigint) => ({
  blockTime: time,
  blockNumber: time,
  txIndex: 0,
  amountRaw,
});
const pay = (time: number, amountRaw: bigint) => ({
  ...at(time, amountRaw),
  type: 'transfer' as const,
  to: `${time}`,
});
const arriving = fc.record({
  time: fc.integer({ min: 1, max: 600 }),
  chance: fc.constantFrom(1, 0.9, 0.5, 0.31, 0.3, 0.2, 0.07, 0.06, 0.05),
});

test('what is doubtful counts as far as it is likely and fresh, at every payment, in both directions', () => {
  fc.assert(
    fc.property(
      fc.array(arriving, { minLength: 1, maxLength: 40 }),
      fc.array(fc.integer({ min: 2, max: 1_000 }), { minLength: 1, maxLength: 30 }),
      fc.constantFrom(FORWARD, BACKWARD),
      (arrived, paid, direction) => {
        const on = (time: number): number => (direction === FORWARD ? time : 10_000 - time);
        const arrivals = [{ time: 0, chance: 1 }, ...arrived]
          .map(({ time, chance }) => ({ ...at(on(time), 1_000n), chance }))
          .sort(direction.compare);
        const payments = paid.map((time) => pay(on(time), 100n)).sort(direction.compare);
        const receipt = { ...at(on(0), 100n), isOwn: false };
        const { weights, payments: of } = buildMatchGraph(
          { payments, receipts: [receipt], arrivals },
          direction,
        );
        expect(weights).toHaveLength(payments.length);
        for (const [pair, weight] of weights.entries()) {
          const payment = payments[of[pair] ?? 0] ?? receipt;
          const fresh = (came: { readonly blockTime: number }): number =>
            1 / (Math.abs(payment.blockTime - came.blockTime) + BLOCK_SECONDS_MAX);
          const own = arrivals
            .filter((arrival) => direction.compare(arrival, payment) <= 0)
            .map((arrival) => arrival.chance * fresh(arrival));
          expect((PASSAGE_WEIGHT * fresh(receipt)) / weight / Math.max(...own)).toBeCloseTo(1, 9);
        }
      },
    ),
  );
});

test('each of thousands of doubtful arrivals is weighed a few times, not once for each payment', () => {
  const count = 2_000;
  let weighed = 0;
  const arrivals = Array.from({ length: count }, (_, n) => ({
    ...{ blockTime: Math.floor((n * 600) / count), blockNumber: n, txIndex: 0, amountRaw: 1_000n },
    get chance() {
      weighed += 1;
      return n === 0 ? 1 : 0.05;
    },
  }));
  const payments = Array.from({ length: count }, (_, n) => ({ ...pay(600, 1n), blockNumber: count + n }));
  buildMatchGraph({ payments, receipts: [], arrivals }, FORWARD);
  expect(weighed).toBeGreaterThan(0);
  expect(weighed).toBeLessThan(20 * count);
});
