import fc from 'fast-check';
import { expect, test } from 'vitest';
import { smallerAmount } from '../encoding/exact-integer.ts';
import { type Row, tokenRow } from './row.ts';
import { withhold } from './withheld-fees.ts';

const rows = (...amounts: readonly bigint[]): Row[] =>
  amounts.map((amount) => {
    const row = tokenRow('transfer', 'a', 'b', 'mint', amount, null, 0, 1);
    row.hidesFee = true;
    return row;
  });

const split = (withheldRaw: bigint, ...amounts: readonly bigint[]): bigint[] => {
  const list = rows(...amounts);
  withhold(list, withheldRaw);
  return list.map((row) => row.withheldRaw);
};

test('one transfer bears all of it', () => {
  expect(split(7n, 100n)).toEqual([7n]);
});

test('several transfers bear the fee of one rate, each rounded up by itself', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: 1n, max: 10n ** 15n }), { minLength: 2, maxLength: 6 }),
      fc.bigInt({ min: 1n, max: 5_000n }),
      (amounts, rate) => {
        const fees = amounts.map((amount) => (amount * rate + 9_999n) / 10_000n);
        const total = fees.reduce((sum, fee) => sum + fee, 0n);
        const found = split(total, ...amounts);
        expect(found.reduce((sum, fee) => sum + fee, 0n)).toBe(total);
        // Small amounts can fit more than one rate; large ones cannot.
        if (amounts.every((amount) => amount > 10n ** 6n)) expect(found).toEqual(fees);
      },
    ),
  );
});

test('a capped fee has no rate and is split in proportion, to the last unit', () => {
  expect(split(11n, 1_000_000n, 500_000n, 500_000n)).toEqual([5n, 2n, 4n]);
});

test('no transfer bears more of a capped fee than it sent', () => {
  expect(split(5n, 4n, 1n, 2n)).toEqual([2n, 1n, 2n]);
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: 1n, max: 8n }), { minLength: 1, maxLength: 8 }),
      fc.bigInt({ min: 1n, max: 10_000n }),
      fc.bigInt({ min: 1n, max: 6n }),
      (amounts, rate, most) => {
        const fees = amounts.map((amount) => (amount * rate + 9_999n) / 10_000n);
        const total = fees.reduce((sum, fee) => sum + smallerAmount(fee, most), 0n);
        const found = split(total, ...amounts);
        expect(found.reduce((sum, fee) => sum + fee, 0n)).toBe(total);
        expect(found.filter((fee, i) => fee < 0n || fee > (amounts[i] ?? 0n))).toEqual([]);
      },
    ),
  );
});

test('a fee that the instruction names stays as it is', () => {
  const list = rows(100n, 100n);
  for (const row of list.slice(0, 1)) {
    row.withheldRaw = 9n;
    row.hidesFee = false;
  }
  withhold(list, 3n);
  expect(list.map((row) => row.withheldRaw)).toEqual([9n, 3n]);
});

test('more withheld than was sent explains nothing', () => {
  expect(split(200n, 100n)).toEqual([0n]);
});
