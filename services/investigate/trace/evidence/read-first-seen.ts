import type { Address } from '../../model/address.ts';
import { bothSides, NOBODY } from '../../model/trace-reader.ts';
import type { QueryContext } from '../query-context.ts';
import { POPULAR_ABOVE } from '../rules.ts';

/** The earliest transfer of the coin or a stablecoin of each wallet, in unix seconds; null where its block has no time. */
export const readFirstSeen = async (
  wallets: readonly Address[],
  { reads, onChain, canonicalAssets, leastRaw }: QueryContext,
): Promise<ReadonlyMap<Address, number | null>> => {
  if (wallets.length === 0) return new Map();
  const counts = await reads.counterpartyCounts(
    { ...onChain, canonicalAssets, leastRaw, othersMax: POPULAR_ABOVE },
    bothSides(wallets).map((side) => ({ ...side, among: NOBODY })),
  );
  const known = counts.filter((count) => count !== null);
  return new Map(
    [...Map.groupBy(known, ({ wallet }) => wallet)].map(([wallet, sides]) => [
      wallet,
      Math.min(...sides.map(({ firstUnixSeconds }) => firstUnixSeconds)) || null,
    ]),
  );
};
