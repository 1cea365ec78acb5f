import type { CanonicalAsset } from '../model/asset.ts';
import type { QueryContext } from './query-context.ts';
import type { Search } from './search.ts';

/**
 * The price of each asset at the time of the traced transfer, in dollars a whole unit, in the order asked; null where
 * it is unknown.
 */
export const priceAssets = async (
  canonicalAssets: readonly CanonicalAsset[],
  { request, anchor }: Pick<Search, 'request' | 'anchor'>,
  { reads }: QueryContext,
): Promise<readonly (number | null)[]> => {
  const moments = canonicalAssets.map((canonicalAsset) => ({
    canonicalAsset,
    timeUnixSeconds: anchor.timeUnixSeconds,
  }));
  const known = await reads.prices({ chain: request.chain }, moments);
  return known.map((price) => price?.usd ?? null);
};
