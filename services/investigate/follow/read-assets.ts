import { assetSymbol, type CanonicalAsset, isListed, knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Moment, Price } from '../model/price-reader.ts';
import { type BudgetedRead, unlessUnread } from './follow-reader.ts';
import type { FollowedAsset } from './trail.ts';

/** Listed assets need no question; what others are called they say themselves. */
export const toAsset = async (
  chain: Chain,
  canonicalAsset: CanonicalAsset,
  read: BudgetedRead,
): Promise<FollowedAsset> => {
  const [asset] = await toAssets(chain, [canonicalAsset], read);
  return asset ?? { canonicalAsset, symbol: null, decimals: null };
};

/** In the order given, with one question at most. */
export const toAssets = async (
  chain: Chain,
  canonicalAssets: readonly CanonicalAsset[],
  read: BudgetedRead,
): Promise<readonly FollowedAsset[]> => {
  const unlisted = [...new Set(canonicalAssets)].filter((canonicalAsset) => !isListed(chain, canonicalAsset));
  const asked = { chain, assets: unlisted };
  const facts =
    unlisted.length === 0
      ? []
      : await read((_, limits, { assets }) => assets.assets({ ...asked, ...limits }));
  // Anybody may fill the transactions of a trail with tokens of his own.
  const byAsset = new Map(unlisted.map((canonicalAsset, at) => [canonicalAsset, facts[at]]));
  return canonicalAssets.map((canonicalAsset) => {
    if (isListed(chain, canonicalAsset))
      return {
        canonicalAsset,
        symbol: assetSymbol(chain, canonicalAsset),
        decimals: knownDecimals(chain, canonicalAsset),
      };
    const { symbol = null, decimals = null } = byAsset.get(canonicalAsset) ?? {};
    return { canonicalAsset, symbol, decimals };
  });
};

type PriceOf = (moment: Moment) => Price | null;

/** With one question at most. A worth is an addition: where prices cannot be read, nothing has a known one. */
export const readPrices = async (
  chain: Chain,
  moments: readonly Moment[],
  read: BudgetedRead,
): Promise<PriceOf> => {
  const keyOf = ({ canonicalAsset, timeUnixSeconds }: Moment) => `${timeUnixSeconds} ${canonicalAsset}`;
  const asked = [...new Map(moments.map((moment) => [keyOf(moment), moment])).values()];
  if (asked.length === 0) return () => null;
  const reading = read((_, limits, { prices }) => prices.prices({ chain, moments: asked, ...limits }));
  const prices = await unlessUnread(reading, []);
  const byMoment = new Map(asked.map((moment, at) => [keyOf(moment), prices[at] ?? null]));
  return (moment) => byMoment.get(keyOf(moment)) ?? null;
};
