import { toWholeUnits } from './amount.ts';
import { assetSymbol, type CanonicalAsset, knownDecimals } from './asset.ts';
import type { AssetReader } from './asset-reader.ts';
import type { Chain } from './chain.ts';
import type { Price, PriceReader } from './price-reader.ts';
import type { Asking } from './query.ts';

export type ShownAsset = {
  readonly canonicalAsset: CanonicalAsset;
  /** null where nothing trustworthy names it. */
  readonly symbol: string | null;
  readonly decimals: number | null;
};

/** An amount of an asset at a time. */
export type Moved = {
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  readonly blockTime: number;
};

/** The dollar values of amounts. */
export type Values = {
  readonly assetOf: (canonicalAsset: CanonicalAsset) => ShownAsset;
  readonly priceOf: (moved: Pick<Moved, 'canonicalAsset' | 'blockTime'>) => Price | null;
  /** null where its worth is not known. */
  readonly usdOf: (moved: Moved) => number | null;
};

/** One question for all assets and one for all prices. */
export const valueAmounts = async (
  chain: Chain,
  moved: readonly Pick<Moved, 'canonicalAsset' | 'blockTime'>[],
  { prices, assets }: { readonly prices: Asking<PriceReader>; readonly assets: Asking<AssetReader> },
): Promise<Values> => {
  const canonicalAssets = [...new Set(moved.map(({ canonicalAsset }) => canonicalAsset))];
  const moments = [...new Map(moved.map((each) => [momentKey(each), each])).values()].map(
    ({ canonicalAsset, blockTime }) => ({ canonicalAsset, timeUnixSeconds: blockTime }),
  );
  const [facts, quotes] = await Promise.all([
    assets.assets({ chain }, canonicalAssets),
    prices.prices({ chain }, moments),
  ]);
  const known = new Map(
    canonicalAssets.map((canonicalAsset, index): [CanonicalAsset, ShownAsset] => {
      const { symbol = null, decimals = null } = facts[index] ?? {};
      return [
        canonicalAsset,
        {
          canonicalAsset,
          symbol: assetSymbol(chain, canonicalAsset) ?? symbol,
          decimals: knownDecimals(chain, canonicalAsset) ?? decimals,
        },
      ];
    }),
  );
  const priceAt = new Map(
    moments.map(({ canonicalAsset, timeUnixSeconds }, index) => [
      `${canonicalAsset} ${timeUnixSeconds}`,
      quotes[index] ?? null,
    ]),
  );
  const assetOf = (canonicalAsset: CanonicalAsset): ShownAsset =>
    known.get(canonicalAsset) ?? { canonicalAsset, symbol: null, decimals: null };
  const priceOf: Values['priceOf'] = (each) => priceAt.get(momentKey(each)) ?? null;
  return {
    assetOf,
    priceOf,
    usdOf: (each) => {
      const price = priceOf(each);
      const { decimals } = assetOf(each.canonicalAsset);
      return price === null || decimals === null ? null : price.usd * toWholeUnits(each.amountRaw, decimals);
    },
  };
};

const momentKey = ({ canonicalAsset, blockTime }: Pick<Moved, 'canonicalAsset' | 'blockTime'>): string =>
  `${canonicalAsset} ${blockTime}`;
