/**
 * Converts exact raw units to the nearest double of whole units, for answers only: 1500000n at 6 decimals is
 * 1.5. With unknown decimals (null) returns the raw count. Goes through decimal text, because dividing
 * doubles would round twice.
 */
export const toWholeUnits = (amountRaw: bigint, decimals: number | null): number => {
  const [whole, fraction] = splitDigits(amountRaw, decimals);
  const value = Number(`${whole}.${fraction || '0'}`);
  return amountRaw < 0n ? -value : value;
};

/** The same as exact text for a person: 1234500000n at 6 decimals is `1,234.5`. */
export const toWholeText = (amountRaw: bigint, decimals: number | null): string => {
  const [whole, fraction] = splitDigits(amountRaw, decimals);
  const shown = fraction.replace(/0+$/, '');
  return `${amountRaw < 0n ? '-' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${shown === '' ? '' : `.${shown}`}`;
};

const splitDigits = (amountRaw: bigint, decimals: number | null): readonly [string, string] => {
  const digits = String(abs(amountRaw)).padStart((decimals ?? 0) + 1, '0');
  const split = digits.length - (decimals ?? 0);
  return [digits.slice(0, split), digits.slice(split)];
};

/**
 * part / whole as a double in 0..1. `whole` must be above 0. Both may be far above 2^53, so the division uses
 * integers.
 */
export const toShare = (part: bigint, whole: bigint): number => {
  if (part >= whole) return 1;
  return Number((part * SHARE_SCALE) / whole) / Number(SHARE_SCALE);
};

const SHARE_SCALE = 1_000_000_000_000n;

/** Sums and quotients of doubles leave a last digit that means nothing: 0.34299999999999997 is 0.343. */
export const tidyShare = (share: number): number => Math.round(share * 1e12) / 1e12;

/**
 * Converts whole units, as people write them, to raw units and truncates below the last decimal. `text` is
 * non-negative plain decimal digits with at most one point.
 */
export const parseWholeUnits = (text: string, decimals: number): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
};

/** The raw units nearest to a number in a caller's JSON: 0.1 is a tenth, not the double next to it. */
export const fromWholeUnits = (amount: number, decimals: number): bigint => {
  const [mantissa = '0', exponent = '0'] = amount.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent) - fraction.length + decimals;
  const digits = whole + fraction;
  return shift >= 0 ? BigInt(digits + '0'.repeat(shift)) : BigInt(digits) / 10n ** BigInt(-shift);
};

type Sized = { readonly amountRaw: bigint };

/** In raw units of one asset. */
export const sumOf = (items: readonly Sized[]): bigint =>
  items.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);

/** Adds to the value of a key. */
export const addRaw = <Key>(sums: Map<Key, bigint>, key: Key, amountRaw: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + amountRaw);
};

/** A comparator; equal values keep their order. */
export const largestFirst = (a: Sized, b: Sized): number =>
  a.amountRaw > b.amountRaw ? -1 : Number(a.amountRaw < b.amountRaw);

/** The first of equals, so that the answer does not depend on the order of search. */
export const larger = <T extends Sized>(best: T, other: T): T =>
  other.amountRaw > best.amountRaw ? other : best;

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const abs = (raw: bigint): bigint => (raw < 0n ? -raw : raw);
