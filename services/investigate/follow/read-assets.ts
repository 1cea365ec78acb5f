import { assetSymbol, type CanonicalAsset, isListed, knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Moment, Price } from '../model/price-reader.ts';
import { unlessUnread } from '../session/left-out.ts';
import type { FollowReads } from './follow-reader.ts';
import type { FollowedAsset } from './trail.ts';
import type { NamedAsset } from './why.ts';

/** Listed assets need no question. Others have the name that their contract reports. */
export const toAsset = async (
  chain: Chain,
  canonicalAsset: CanonicalAsset,
  reads: FollowReads,
): Promise<FollowedAsset> => {
  const assetOf = await readAssets(chain, [canonicalAsset], reads);
  return assetOf(canonicalAsset);
};

/** With one question at most. */
export const readAssets = async (
  chain: Chain,
  canonicalAssets: readonly CanonicalAsset[],
  reads: FollowReads,
): Promise<(canonicalAsset: CanonicalAsset) => FollowedAsset> => {
  const unlisted = [...new Set(canonicalAssets)].filter((canonicalAsset) => !isListed(chain, canonicalAsset));
  const facts = unlisted.length === 0 ? [] : await reads.assets({ chain }, unlisted);
  // Anybody may fill a trail's transactions with tokens of their own.
  const byAsset = new Map(unlisted.map((canonicalAsset, at) => [canonicalAsset, facts[at]]));
  return (canonicalAsset) => {
    const { symbol, decimals } = byAsset.get(canonicalAsset) ?? describeListed(chain, canonicalAsset);
    return { canonicalAsset, symbol, decimals };
  };
};

/** Without facts an unlisted asset has neither name nor decimals. */
export const describeListed = (chain: Chain, asset: CanonicalAsset): NamedAsset => ({
  asset,
  symbol: assetSymbol(chain, asset),
  decimals: knownDecimals(chain, asset),
});

type PriceOf = (moment: Moment) => Price | null;

/** With one question at most. Where prices cannot be read, none is known: an answer stands without them. */
export const readPrices = async (
  chain: Chain,
  moments: readonly Moment[],
  reads: FollowReads,
): Promise<PriceOf> => {
  const keyOf = ({ canonicalAsset, timeUnixSeconds }: Moment) => `${timeUnixSeconds} ${canonicalAsset}`;
  const asked = [...new Map(moments.map((moment) => [keyOf(moment), moment])).values()];
  if (asked.length === 0) return () => null;
  const prices = await unlessUnread(reads.prices({ chain }, asked), []);
  const byMoment = new Map(asked.map((moment, at) => [keyOf(moment), prices[at] ?? null]));
  return (moment) => byMoment.get(keyOf(moment)) ?? null;
};
