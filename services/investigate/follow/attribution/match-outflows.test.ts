import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORWARD } from '../direction.ts';
import type { Inflow, Outflow } from '../payments/inflow.ts';
import { matchOutflows } from './attribute-outflows.ts';

const at = (time: number, amountRaw: bigint) => ({
  blockTime: time,
  blockNumber: time,
  txIndex: 0,
  amountRaw,
});
const pay = (time: number, amountRaw: bigint): Outflow => ({
  ...at(time, amountRaw),
  type: 'transfer',
  to: 'x',
});

type Story = {
  readonly arrivals: readonly Inflow[];
  readonly strangers: readonly ReturnType<typeof at>[];
  readonly payments: readonly Outflow[];
};

const attribute = ({ arrivals, strangers, payments }: Story) => {
  const receipts = [
    ...arrivals.map((arrival) => ({ ...arrival, isOwn: true })),
    ...strangers.map((stranger) => ({ ...stranger, isOwn: false })),
  ];
  const told = matchOutflows({ payments, receipts, arrivals }, FORWARD);
  return { ...told, passedOn: receipts.filter((receipt) => told.passedOn.has(receipt)) };
};

describe('a payment', () => {
  const amounts = fc.bigInt({ min: 10_000n, max: 10n ** 30n });

  test('of what a stranger brought, but for a fee, is the stranger’s behind any number of others', () => {
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 0n, max: 199n }), (broughtRaw, fee) => {
        const paid = pay(5_000, broughtRaw - (broughtRaw * fee) / 10_000n);
        const larger = Array.from({ length: 100 }, (_, n) => pay(1_001 + n, 2n * broughtRaw));
        const { commingledChances, passedOn } = attribute({
          arrivals: [at(10, 1_000n * broughtRaw)],
          strangers: [at(1_000, broughtRaw)],
          payments: [...larger, paid],
        });
        expect(commingledChances.get(paid)).toBeGreaterThan(0.5);
        expect(passedOn).toHaveLength(1);
      }),
    );
  });

  test('of a whole arrival is told from one of a part of it', () => {
    const [whole, part] = [pay(20, 1_000n), pay(30, 900n)];
    const of = (payment: Outflow) =>
      attribute({ arrivals: [at(10, 1_000n)], strangers: [], payments: [payment] }).own;
    expect(of(whole)).toEqual(new Set([whole]));
    expect(of(part)).toEqual(new Set());
  });

  test('is nobody’s whose money came after it', () => {
    const paid = pay(20, 100n);
    const told = attribute({ arrivals: [at(10, 1_000n)], strangers: [at(30, 100n)], payments: [paid] });
    expect(told.commingledChances.get(paid)).toBe(0);
    expect(told.passedOn).toEqual([]);
  });
});

test('what a thousand payments of one amount pass on of as many receipts is one for each of them', () => {
  const strangers = Array.from({ length: 1_000 }, (_, n) => at(1_000 + n * 1_000, 500n));
  const payments = strangers.map(({ blockTime }) => pay(blockTime + 60, 500n));
  const { commingledChances, passedOn } = attribute({ arrivals: [at(10, 10_000n)], strangers, payments });
  expect(payments.every((payment) => (commingledChances.get(payment) ?? 0) > 0.5)).toBe(true);
  expect(passedOn).toHaveLength(1_000);
});

describe('a receipt that is the followed money with some probability', () => {
  const sure = at(10, 100_000n);
  const amounts = fc.bigInt({ min: 1_000n, max: 50_000n });
  const received = fc.tuple(fc.integer({ min: 11, max: 5_000 }), amounts).map(([time, raw]) => at(time, raw));
  const paid = fc.tuple(fc.integer({ min: 11, max: 9_000 }), amounts).map(([time, raw]) => pay(time, raw));
  const inTime = <T extends { readonly blockTime: number }>(items: readonly T[]): T[] =>
    items.toSorted((a, b) => a.blockTime - b.blockTime);
  const many = { minLength: 1, maxLength: 8 };

  test.each([
    ['hardly any', 1e-9, false],
    ['nearly certain', 1 - 1e-9, true],
  ])('%s, makes payments as much or as little strangers’ as without doubt', (_, chance, isOwn) => {
    let matched = 0;
    fc.assert(
      fc.property(received, fc.array(received, many), fc.array(paid, many), (doubtful, others, unordered) => {
        const payments = inTime(unordered);
        const arrivals = [sure, { ...doubtful, chance }];
        const told = attribute({ arrivals, strangers: others, payments });
        const expected = attribute(
          isOwn
            ? { arrivals: [sure, doubtful], strangers: others, payments }
            : { arrivals: [sure], strangers: [doubtful, ...others], payments },
        );
        for (const payment of payments) {
          const theirs = expected.commingledChances.get(payment) ?? 0;
          expect(told.commingledChances.get(payment)).toBeCloseTo(theirs, 2);
          matched += Number(theirs > 0.1);
        }
      }),
    );
    expect(matched).toBeGreaterThan(20);
  });

  test('lends a part of it that is paid on no certainty of the money that came before', () => {
    const part = pay(1_010, 7_000n);
    const told = attribute({
      arrivals: [sure, { ...at(1_000, 10_000n), chance: 0.06 }],
      strangers: [],
      payments: [part],
    });
    expect(told.ownChances.get(part)).toBeLessThan(0.5);
  });
});
