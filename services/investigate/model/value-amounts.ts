import { toWholeUnits } from './amount.ts';
import { type AssetFamily, assetSymbol, knownDecimals } from './asset.ts';
import type { AssetReader } from './asset-reader.ts';
import type { Budget } from './budget.ts';
import type { Chain } from './chain.ts';
import type { Price, PriceReader } from './price-reader.ts';

export type ShownAsset = {
  readonly family: AssetFamily;
  /** null where nothing trustworthy names it. */
  readonly symbol: string | null;
  readonly decimals: number | null;
};

/** An amount of an asset at a time. */
export type Moved = {
  readonly family: AssetFamily;
  readonly amountRaw: bigint;
  readonly blockTime: number;
};

/** What was worth what. */
export type Values = {
  readonly assetOf: (family: AssetFamily) => ShownAsset;
  readonly priceOf: (moved: Pick<Moved, 'family' | 'blockTime'>) => Price | null;
  /** null where its worth is not known. */
  readonly usdOf: (moved: Moved) => number | null;
};

/** One question for all assets and one for all prices. */
export const valueAmounts = async (
  chain: Chain,
  moved: readonly Pick<Moved, 'family' | 'blockTime'>[],
  { prices, assets }: { readonly prices: PriceReader; readonly assets: AssetReader },
  budget: Budget,
): Promise<Values> => {
  const families = [...new Set(moved.map(({ family }) => family))];
  const moments = [...new Map(moved.map((each) => [momentKey(each), each])).values()].map(
    ({ family, blockTime }) => ({ family, timeUnixSeconds: blockTime }),
  );
  const limits = budget.limits();
  const [facts, quotes] = await Promise.all([
    assets.assets({ chain, assets: families, ...limits }),
    prices.prices({ chain, moments, ...limits }),
  ]);
  const known = new Map(
    families.map((family, at): [AssetFamily, ShownAsset] => {
      const { symbol = null, decimals = null } = facts[at] ?? {};
      return [
        family,
        {
          family,
          symbol: assetSymbol(chain, family) ?? symbol,
          decimals: knownDecimals(chain, family) ?? decimals,
        },
      ];
    }),
  );
  const priceAt = new Map(
    moments.map(({ family, timeUnixSeconds }, at) => [`${family} ${timeUnixSeconds}`, quotes[at] ?? null]),
  );
  const assetOf = (family: AssetFamily): ShownAsset =>
    known.get(family) ?? { family, symbol: null, decimals: null };
  const priceOf: Values['priceOf'] = (each) => priceAt.get(momentKey(each)) ?? null;
  return {
    assetOf,
    priceOf,
    usdOf: (each) => {
      const price = priceOf(each);
      const { decimals } = assetOf(each.family);
      return price === null || decimals === null ? null : price.usd * toWholeUnits(each.amountRaw, decimals);
    },
  };
};

const momentKey = ({ family, blockTime }: Pick<Moved, 'family' | 'blockTime'>): string =>
  `${family} ${blockTime}`;
