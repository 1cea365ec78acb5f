import type { Address } from '../model/address.ts';
import { bothSides } from '../model/trace-reader.ts';
import type { Ask } from './ask.ts';

/** The earliest transfer of the coin or a stablecoin of each wallet, in unix seconds. */
export const readFirstSeen = async (
  wallets: readonly Address[],
  { reader, limits, families }: Ask,
): Promise<ReadonlyMap<Address, number>> => {
  if (wallets.length === 0) return new Map();
  const earliest = await reader.neighbours({ ...limits, families, sides: bothSides(wallets), perSideMax: 1 });
  const times = Map.groupBy(earliest, ({ wallet }) => wallet);
  return new Map(
    [...times].map(([wallet, sides]) => [wallet, Math.min(...sides.map(({ first }) => first.blockTime))]),
  );
};
