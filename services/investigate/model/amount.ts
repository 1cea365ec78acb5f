/**
 * Exact raw units → the nearest double of whole units, for answers only: 1500000n at 6 decimals is 1.5. Unknown decimals
 * (null) give the raw count itself. Goes through decimal text: dividing doubles would round twice.
 */
export const toWholeUnits = (amountRaw: bigint, decimals: number | null): number => {
  if (decimals === null || decimals === 0) return Number(amountRaw);
  const negative = amountRaw < 0n;
  const digits = (negative ? -amountRaw : amountRaw).toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const value = Number(`${digits.slice(0, split)}.${digits.slice(split)}`);
  return negative ? -value : value;
};

/** part / whole as a double in 0..1. `whole` above 0; both may be far above 2^53, so the division is made in integers. */
export const toShare = (part: bigint, whole: bigint): number => {
  if (part >= whole) return 1;
  return Number((part * SHARE_SCALE) / whole) / Number(SHARE_SCALE);
};

const SHARE_SCALE = 1_000_000_000_000n;

/**
 * Whole units as people write them → raw units; what lies below the last decimal is cut off. `text` is plain decimal
 * digits with at most one point, not negative.
 */
export const parseWholeUnits = (text: string, decimals: number): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
};

/** The raw units nearest to what a caller's JSON number says: 0.1 is a tenth, not the double next to it. */
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

/** Adds to what stands under a key. */
export const addRaw = <Key>(sums: Map<Key, bigint>, key: Key, amountRaw: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + amountRaw);
};

/** To sort by; equals stay as they stand. */
export const largestFirst = (a: Sized, b: Sized): number =>
  a.amountRaw > b.amountRaw ? -1 : Number(a.amountRaw < b.amountRaw);

/** The first of equals, so that the answer does not depend on how it was found. */
export const larger = <T extends Sized>(best: T, other: T): T =>
  other.amountRaw > best.amountRaw ? other : best;

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const abs = (raw: bigint): bigint => (raw < 0n ? -raw : raw);
