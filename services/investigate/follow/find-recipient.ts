import type { Address } from '../model/address.ts';
import type { AssetFamily } from '../model/asset.ts';
import type { Side } from './sum-sides.ts';
import { isWorthAsMuch } from './weigh-amounts.ts';

/** A transaction in which many may have traded at once, as solvers settle orders. */
export type Settled = {
  /** What each got on balance. */
  readonly sides: readonly Side[];
  /** Whose money is followed, and of what. */
  readonly payer: Address;
  readonly soldFamily: AssetFamily;
  /** null where it is not known. */
  readonly usdOf: (side: Pick<Side, 'family' | 'netRaw'>) => number | null;
};

/**
 * Who got what a seller paid out for the payer's money. What others put in of the same asset has its own part of all that was
 * paid out, and is no proceeds of his. Of the rest whoever got most, if it is worth about as much as he sold: who got many times
 * that traded something else there; where nobody fits, whoever got most. null where nobody got any.
 */
export const findRecipient = (
  settled: Settled,
  { family, netRaw: payoutRaw }: Side,
  sellers: ReadonlySet<Address>,
): Address | null => {
  const { sides, payer, soldFamily, usdOf } = settled;
  const partOf = partsOf(sides, { soldFamily, family });
  const got = sides
    .filter((side) => side.family === family && !sellers.has(side.address))
    .map((side) => (side.address === payer ? side : { ...side, netRaw: side.netRaw - partOf(side.address) }))
    .filter(({ netRaw }) => netRaw > 0n);
  const sold = sides.find(
    ({ address, family: of, netRaw }) => address === payer && of === soldFamily && netRaw < 0n,
  );
  const soldUsd = sold === undefined ? null : usdOf(sold);
  const dueRaw = Math.min(Number(-payoutRaw), Number(partOf(payer)) || Number.POSITIVE_INFINITY);
  const fitting = got.filter((side) => {
    const usd = usdOf(side);
    return usd === null || soldUsd === null
      ? isWorthAsMuch(Number(side.netRaw), dueRaw)
      : isWorthAsMuch(usd, soldUsd);
  });
  const [first, ...others] = fitting.length > 0 ? fitting : got;
  return first === undefined ? null : others.reduce(gotMore, first).address;
};

/** Of all that was paid out, the part that what an address put in stands for. */
const partsOf = (
  sides: readonly Side[],
  { soldFamily, family }: Pick<Settled, 'soldFamily'> & Pick<Side, 'family'>,
): ((address: Address) => bigint) => {
  const given = sides.filter((side) => side.family === soldFamily && side.netRaw < 0n);
  const gave = new Map(given.map(({ address, netRaw }) => [address, netRaw]));
  const givenRaw = sumOf(given);
  const paidRaw = -sumOf(sides.filter((side) => side.family === family && side.netRaw < 0n));
  return (address) => (givenRaw === 0n ? 0n : (paidRaw * (gave.get(address) ?? 0n)) / givenRaw);
};

const sumOf = (sides: readonly Side[]): bigint => sides.reduce((sum, { netRaw }) => sum + netRaw, 0n);

const gotMore = (most: Side, side: Side): Side => (side.netRaw > most.netRaw ? side : most);
