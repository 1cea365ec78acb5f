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
