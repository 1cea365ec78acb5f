import type { Address } from '../model/address.ts';
import { bothSides } from '../model/trace-reader.ts';
import type { Ask } from './ask.ts';
import { POPULAR_ABOVE } from './rules.ts';

/** The earliest transfer of the coin or a stablecoin of each wallet, in unix seconds. */
export const readFirstSeen = async (
  wallets: readonly Address[],
  { reader, limits, families }: Ask,
): Promise<ReadonlyMap<Address, number>> => {
  if (wallets.length === 0) return new Map();
  const sides = await reader.dealings({
    ...{ ...limits, families, sides: bothSides(wallets) },
    ...{ others: [], popularAbove: POPULAR_ABOVE },
  });
  const times = Map.groupBy(sides, ({ wallet }) => wallet);
  return new Map(
    [...times].map(([wallet, both]) => [wallet, Math.min(...both.map((side) => side.firstUnixSeconds))]),
  );
};
