import { toWholeUnits } from '../model/amount.ts';
import { type Asset, isListed } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { AssetFacts } from '../model/describe-asset.ts';
import type { WalletSummary } from '../model/profile-reader.ts';
import type { Balance } from './profile.ts';
import { BALANCES_MAX } from './rules.ts';

/** What the tables' rows leave of an asset, whole history or not. */
export type RowBalance = { readonly family: Asset; readonly raw: bigint };

/** All that came in less all that went out, for each asset that the wallet ever moved. */
export const sumBalances = ({ families }: Pick<WalletSummary, 'families'>): readonly RowBalance[] =>
  families.map(({ family, in: came, out }) => ({ family, raw: came.sumRaw - out.sumRaw }));

/** Assets of which more went out than came in: their history cannot be whole. */
export const findOverdrawn = (balances: readonly RowBalance[], chain: Chain): readonly RowBalance[] =>
  // Logs of unlisted EVM tokens may say whatever their contract likes.
  balances.filter(({ family, raw }) => raw < 0n && (chain.family === 'solana' || isListed(chain, family)));

/**
 * What the wallet holds. Where its rows are not its whole history, only which assets it moved is known: sums of a part would be
 * wrong, and 0 would say that there is nothing.
 */
export const findBalances = (
  rows: readonly RowBalance[],
  isWhole: boolean,
  facts: ReadonlyMap<Asset, AssetFacts>,
  priceNow: (family: Asset) => number | null,
): readonly Balance[] =>
  rows
    .flatMap(({ family, raw }): Balance[] => {
      const known = facts.get(family);
      if (known === undefined || (isWhole && raw <= 0n)) return [];
      if (!isWhole) return [{ asset: family, facts: known, amountRaw: null, usd: null, source: null }];
      const price = priceNow(family);
      const usd =
        price === null || known.decimals === null ? null : toWholeUnits(raw, known.decimals) * price;
      return [{ asset: family, facts: known, amountRaw: raw, usd, source: 'rows' }];
    })
    .toSorted((a, b) => (b.usd ?? -1) - (a.usd ?? -1))
    .slice(0, BALANCES_MAX);
