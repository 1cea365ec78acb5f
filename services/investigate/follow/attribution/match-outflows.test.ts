import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORWARD } from '../direction.ts';
import type { Outflow } from '../payments/inflow.ts';
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
  readonly arrivals: readonly ReturnType<typeof at>[];
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
