import { expect, test } from 'vitest';
import { exactAmount, exactChange, exactGrowth, readU64 } from './exact-integer.ts';

const U64_MAX = 2n ** 64n - 1n;
const SAFE = Number.MAX_SAFE_INTEGER;

const codeOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

test('amounts are exact up to the last one of 64 bits, as numbers, text or bigint', () => {
  expect([0, SAFE, '0', String(U64_MAX), U64_MAX].map(exactAmount)).toEqual([
    0n,
    BigInt(SAFE),
    0n,
    U64_MAX,
    U64_MAX,
  ]);
});

test('a number that may have been rounded is told apart from what is no amount', () => {
  for (const value of [SAFE + 1, 0.5, Number.NaN, -0.5])
    expect(codeOf(() => exactAmount(value))).toBe('inexact_integer');
  for (const value of [
    -1,
    -1n,
    U64_MAX + 1n,
    String(U64_MAX + 1n),
    '',
    '-1',
    '1.0',
    ' 1',
    '1n',
    '9'.repeat(21),
  ])
    expect(codeOf(() => exactAmount(value))).toBe('bad_integer');
  for (const value of [null, undefined, true, [1], {}])
    expect(codeOf(() => exactAmount(value))).toBe('bad_integer');
});

test('a change may be below zero by as much as an amount may be above', () => {
  expect([-5, -5n, -U64_MAX, U64_MAX].map(exactChange)).toEqual([-5n, -5n, -U64_MAX, U64_MAX]);
  expect(codeOf(() => exactChange(-U64_MAX - 1n))).toBe('bad_integer');
});

test('growth is exact between any two amounts', () => {
  expect(exactGrowth(3, 5)).toBe(-2n);
  expect(exactGrowth(SAFE, 0)).toBe(BigInt(SAFE));
  expect(exactGrowth(U64_MAX, 1)).toBe(U64_MAX - 1n);
  expect(exactGrowth(1, U64_MAX)).toBe(1n - U64_MAX);
  expect(codeOf(() => exactGrowth(1, -1))).toBe('bad_integer');
  expect(codeOf(() => exactGrowth(SAFE + 1, 1))).toBe('inexact_integer');
});

test('eight bytes are read as one exact amount, and no fewer', () => {
  const bytes = new Uint8Array(9);
  for (const amount of [
    0n,
    1n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 53n + 1n,
    U64_MAX,
  ]) {
    new DataView(bytes.buffer).setBigUint64(1, amount, true);
    expect(readU64(bytes, 1, 9)).toBe(amount);
  }
  expect(codeOf(() => readU64(bytes, 1, 8))).toBe('short_data');
});
