import type { Side, Transfer } from './profile.ts';

/**
 * The sum of the transfers that have a dollar value: 0 when there are no transfers, null when none has a
 * value.
 */
export const sumUsd = (transfers: readonly Transfer[]): number | null => {
  const known = transfers.flatMap(({ usd }) => usd ?? []);
  if (known.length === 0 && transfers.length > 0) return null;
  return known.reduce((sum, usd) => sum + usd, 0);
};

/** The transfer with the highest value, or the first one when none has a value. */
export const largestOf = (transfers: readonly Transfer[]): Transfer | null =>
  transfers.reduce<Transfer | null>(
    (best, each) => (best === null || (each.usd ?? -1) > (best.usd ?? -1) ? each : best),
    null,
  );

/** Transfers in one direction, oldest first. */
export const sumSide = (transfers: readonly Transfer[]): Side => ({
  count: transfers.length,
  usd: sumUsd(transfers),
  first: transfers[0]?.blockTime ?? null,
  last: transfers.at(-1)?.blockTime ?? null,
  largest: largestOf(transfers),
});
