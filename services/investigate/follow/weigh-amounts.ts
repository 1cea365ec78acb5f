import { toWholeUnits } from '../model/amount.ts';
import type { AssetFamily } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import type { BudgetedRead } from './follow-reader.ts';
import { toAssets } from './journey.ts';
import { SALE_WORTH_MIN } from './rules.ts';
import type { FollowedAsset } from './trail.ts';

export type Amount = {
  readonly family: AssetFamily;
  readonly amountRaw: bigint;
  readonly timeUnixSeconds: number;
};

/** In dollars at that second; null where no price is known or could be read. */
export type Worth = FollowedAsset & { readonly usd: number | null };

/** In the order given; one read of prices, and one at most of what unlisted assets are. */
export const weighAmounts = async (
  chain: Chain,
  amounts: readonly Amount[],
  read: BudgetedRead,
): Promise<readonly Worth[]> => {
  const families = amounts.map(({ family }) => family);
  const asked = { chain, moments: amounts };
  const [assets, prices] = await Promise.all([
    toAssets(chain, families, read),
    read((_, limits, { prices: reader }) => reader.prices({ ...asked, ...limits })).catch(withoutPrices),
  ]);
  return assets.map((asset, at) => {
    const price = prices[at] ?? null;
    const amountRaw = amounts[at]?.amountRaw ?? 0n;
    return { ...asset, usd: price && price.usd * toWholeUnits(amountRaw, asset.decimals) };
  });
};

const withoutPrices = (error: unknown): readonly null[] => {
  if (error instanceof ReadFailedError && error.code !== 'aborted') return [];
  throw error;
};

/**
 * Whether one thing may have been paid for another, by what they were worth: not where it is far less. Where one of the two
 * is not known, that says nothing: it is as the transaction tells it, if that is to be believed.
 */
export const mayBePaidFor = (
  gotUsd: number | null,
  soldUsd: number | null,
  { isBelieved }: { readonly isBelieved: boolean },
): boolean => (gotUsd === null || soldUsd === null ? isBelieved : gotUsd >= soldUsd * SALE_WORTH_MIN);
