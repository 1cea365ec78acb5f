import type { Address } from '../../model/address.ts';
import { toWholeUnits } from '../../model/amount.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import type { Moment } from '../../model/price-reader.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';
import type { Direction } from '../direction.ts';
import type { FollowReads } from '../follow-reader.ts';
import { readAssets, readPrices } from '../read-assets.ts';
import { SALE_USD_MIN, SALE_WORTH_MIN } from '../rules.ts';
import type { FollowedAsset } from '../trail.ts';

/** In dollars at that second; null where no price is known or could be read. */
export type Worth = FollowedAsset & { readonly usd: number | null };

/** Tells the worth of raw units of an asset at one of the moments that were read. */
export type Weigh = (amount: Moment & { readonly amountRaw: bigint }) => Worth;

/** One read of prices, and one at most of what unlisted assets are, for any number of moments. */
export const readWeights = async (
  chain: Chain,
  moments: readonly Moment[],
  reads: FollowReads,
): Promise<Weigh> => {
  const canonicalAssets = moments.map(({ canonicalAsset }) => canonicalAsset);
  const [assetOf, priceOf] = await Promise.all([
    readAssets(chain, canonicalAssets, reads),
    readPrices(chain, moments, reads),
  ]);
  return ({ amountRaw, ...moment }) => {
    const asset = assetOf(moment.canonicalAsset);
    const price = priceOf(moment);
    return { ...asset, usd: price && price.usd * toWholeUnits(amountRaw, asset.decimals) };
  };
};

/**
 * Whether one thing may have been paid for another, by what they were worth: not where it is far less, or next to nothing. Where
 * the worth of one is unknown, the transaction itself decides, if that is to be believed.
 */
export const mayBePaidFor = (
  gotUsd: number | null,
  soldUsd: number | null,
  { isBelieved }: { readonly isBelieved: boolean },
): boolean => {
  if (gotUsd === null) return isBelieved;
  return soldUsd === null ? isBelieved && gotUsd >= SALE_USD_MIN : gotUsd >= soldUsd * SALE_WORTH_MIN;
};

/** Whether neither is far more than the other; both in dollars, or in raw units of one asset. */
export const isWorthAsMuch = (a: number, b: number): boolean =>
  a >= b * SALE_WORTH_MIN && b >= a * SALE_WORTH_MIN;

/** What an address got of an asset on balance, in raw units. */
export type Side = { readonly address: Address; readonly canonicalAsset: CanonicalAsset; netRaw: bigint };

/** What each address got within a transaction; direction, what it gave. In an order of their own. */
export const sumSides = (rows: readonly TransactionRow[], direction: Direction): Side[] => {
  const sides = new Map<string, Side>();
  const add = (address: Address, canonicalAsset: CanonicalAsset, amountRaw: bigint): void => {
    const key = `${canonicalAsset} ${address}`;
    const side = sides.get(key) ?? { address, canonicalAsset, netRaw: 0n };
    side.netRaw += amountRaw;
    sides.set(key, side);
  };
  for (const row of rows) {
    add(direction.payeeOf(row), row.canonicalAsset, row.amountRaw);
    add(direction.payerOf(row), row.canonicalAsset, -row.amountRaw);
  }
  // The order of rows within a transaction proves nothing.
  return [...sides.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

const keyOf = ({ canonicalAsset, address }: Side): string => `${canonicalAsset} ${address}`;

/**
 * To whom an asset may have come from somebody within the transaction of these rows, through any number of others; direction, from
 * whom. The order of rows within a transaction proves nothing.
 */
export const whomItReached = (
  rows: readonly TransactionRow[],
  { address: start, canonicalAsset }: Pick<Side, 'address' | 'canonicalAsset'>,
  direction: Direction,
): ReadonlySet<Address> => {
  const paid = Map.groupBy(
    rows.filter((row) => row.canonicalAsset === canonicalAsset),
    direction.payerOf,
  );
  const reached = new Set([start]);
  // What is added meanwhile is met as well.
  for (const payer of reached) for (const row of paid.get(payer) ?? []) reached.add(direction.payeeOf(row));
  return reached;
};
