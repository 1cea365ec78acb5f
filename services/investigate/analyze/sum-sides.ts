import type { Side, Transfer } from './profile.ts';

/** Dollars of transfers together, of those that have a price: 0 where there are none, null where none of them has one. */
export const sumUsd = (transfers: readonly Transfer[]): number | null => {
  const known = transfers.flatMap(({ usd }) => usd ?? []);
  if (known.length === 0 && transfers.length > 0) return null;
  return known.reduce((sum, usd) => sum + usd, 0);
};

/** The one worth most; of those without a price the first. */
export const largestOf = (transfers: readonly Transfer[]): Transfer | null =>
  transfers.reduce<Transfer | null>(
    (best, each) => (best === null || (each.usd ?? -1) > (best.usd ?? -1) ? each : best),
    null,
  );

/** Transfers one way, oldest first. */
export const sumSide = (transfers: readonly Transfer[]): Side => ({
  count: transfers.length,
  usd: sumUsd(transfers),
  first: transfers[0]?.blockTime ?? null,
  last: transfers.at(-1)?.blockTime ?? null,
  largest: largestOf(transfers),
});
