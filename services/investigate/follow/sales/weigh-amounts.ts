import { toWholeUnits } from '../../model/amount.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import type { Moment } from '../../model/price-reader.ts';
import { toAssets } from '../follow-context.ts';
import { type BudgetedRead, unlessUnread } from '../follow-reader.ts';
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
  read: BudgetedRead,
): Promise<Weigh> => {
  const asked = [...new Map(moments.map((moment) => [keyOf(moment), moment])).values()];
  const canonicalAssets = [...new Set(asked.map(({ canonicalAsset }) => canonicalAsset))];
  const [assets, prices] =
    asked.length === 0
      ? [[], []]
      : await Promise.all([
          toAssets(chain, canonicalAssets, read),
          unlessUnread(
            read((_, limits, others) => others.prices.prices({ chain, moments: asked, ...limits })),
            [],
          ),
        ]);
  const byAsset = new Map(assets.map((asset) => [asset.canonicalAsset, asset]));
  const byMoment = new Map(asked.map((moment, at) => [keyOf(moment), prices[at] ?? null]));
  return ({ amountRaw, ...moment }) => {
    const asset = byAsset.get(moment.canonicalAsset) ?? unknown(moment.canonicalAsset);
    const price = byMoment.get(keyOf(moment)) ?? null;
    return { ...asset, usd: price && price.usd * toWholeUnits(amountRaw, asset.decimals) };
  };
};

const keyOf = ({ canonicalAsset, timeUnixSeconds }: Moment): string => `${timeUnixSeconds} ${canonicalAsset}`;

const unknown = (canonicalAsset: CanonicalAsset): FollowedAsset => ({
  canonicalAsset,
  symbol: null,
  decimals: null,
});

/**
 * Whether one thing may have been paid for another, by what they were worth: not where it is far less, or next to nothing. Where
 * one of the two is not known, that says no more: it is as the transaction tells it, if that is to be believed.
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
