import type { Address } from '../../model/address.ts';
import { bothSides } from '../../model/trace-reader.ts';
import type { QueryContext } from '../query-context.ts';
import { POPULAR_ABOVE } from '../rules.ts';

/** The earliest transfer of the coin or a stablecoin of each wallet, in unix seconds; null where its block has no time. */
export const readFirstSeen = async (
  wallets: readonly Address[],
  { reader, onChain, canonicalAssets, leastRaw }: QueryContext,
): Promise<ReadonlyMap<Address, number | null>> => {
  if (wallets.length === 0) return new Map();
  const counts = await reader.counterpartyCounts({
    ...onChain,
    canonicalAssets,
    leastRaw,
    sides: bothSides(wallets),
    among: [],
    othersMax: POPULAR_ABOVE,
  });
  return new Map(
    [...Map.groupBy(counts, ({ wallet }) => wallet)].map(([wallet, sides]) => [
      wallet,
      Math.min(...sides.map(({ firstUnixSeconds }) => firstUnixSeconds)) || null,
    ]),
  );
};
