import { TransactionFormatError } from '../transaction-format-error.ts';

const U64_MAX = 2n ** 64n - 1n;

/**
 * An unsigned 64-bit amount of a block. @throws TransactionFormatError `inexact_integer` if `JSON.parse` has
 * rounded it, `bad_integer`
 */
export const exactAmount = (value: unknown): bigint => {
  if (isSmallAmount(value)) return BigInt(value);
  const amount = exactChange(value);
  if (amount < 0n) throw new TransactionFormatError('bad_integer', `${amount} is below zero`);
  return amount;
};

/** The increase of an amount; throws as `exactAmount` does. */
export const exactGrowth = (after: unknown, before: unknown): bigint =>
  isSmallAmount(after) && isSmallAmount(before)
    ? BigInt(after - before)
    : exactAmount(after) - exactAmount(before);

/** The common case: a double holds it exactly, and comparing is cheaper than bigints. */
const isSmallAmount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && Number.isSafeInteger(value);

/** A signed amount: rewards and rent. */
export const exactChange = (value: unknown): bigint => {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value);
    throw new TransactionFormatError('inexact_integer', `${value} was rounded or is not an integer`);
  }
  const change = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : value;
  if (typeof change === 'bigint' && change <= U64_MAX && change >= -U64_MAX) return change;
  throw new TransactionFormatError('bad_integer', `${String(value).slice(0, 40)} is not an integer`);
};

/** `Math.min` for bigints. */
export const smallerAmount = (a: bigint, b: bigint): bigint => {
  if (a < b) return a;
  return b;
};

const HIGH = 2n ** 32n;

/** Little-endian u64 at `start`. @throws TransactionFormatError `short_data` */
export const readU64 = (bytes: Uint8Array, start: number, end: number): bigint => {
  if (start + 8 > end)
    throw new TransactionFormatError('short_data', 'instruction data ends in the middle of an amount');
  const low = readU32(bytes, start);
  const high = readU32(bytes, start + 4);
  // Most amounts are below 2^53, and one conversion is cheaper than three operations on bigints.
  return high < 0x200000 ? BigInt(high * 0x100000000 + low) : BigInt(high) * HIGH + BigInt(low);
};

export const readU32 = (bytes: Uint8Array, start: number): number =>
  ((bytes[start] ?? 0) |
    ((bytes[start + 1] ?? 0) << 8) |
    ((bytes[start + 2] ?? 0) << 16) |
    ((bytes[start + 3] ?? 0) << 24)) >>>
  0;
