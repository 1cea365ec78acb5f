import type { Address } from '../model/address.ts';
import { toWholeUnits } from '../model/amount.ts';
import { type Asset, isListed } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { AssetFacts } from '../model/describe-asset.ts';
import { NATIVE } from '../model/movement.ts';
import type { WalletSummary } from '../model/profile-reader.ts';
import { answersByKey } from '../model/query.ts';
import type { Balance } from './profile.ts';
import type { QueryContext } from './query-context.ts';
import { BALANCES_ASKED_MAX, BALANCES_MAX } from './rules.ts';

/** The balance that the rows give for an asset, with or without the whole history. */
export type RowBalance = { readonly canonicalAsset: Asset; readonly raw: bigint };

/** Inflow minus outflow for each asset that the wallet ever moved. */
export const sumBalances = ({
  canonicalAssets,
}: Pick<WalletSummary, 'canonicalAssets'>): readonly RowBalance[] =>
  canonicalAssets.map(({ canonicalAsset, in: came, out }) => ({
    canonicalAsset,
    raw: came.sumRaw - out.sumRaw,
  }));

/** Assets with more outflow than inflow. Their history is incomplete. */
export const findOverdrawn = (balances: readonly RowBalance[], chain: Chain): readonly RowBalance[] =>
  // The contract of an unlisted EVM token may log anything.
  balances.filter(
    ({ canonicalAsset, raw }) => raw < 0n && (chain.family === 'solana' || isListed(chain, canonicalAsset)),
  );

/**
 * Current balances of the coin and of listed assets, as the chain's nodes report them. An asset that no node
 * reports is left out.
 */
export const askHoldings = async (
  wallet: Address,
  rows: readonly RowBalance[],
  { chain, holdings, onChain }: QueryContext,
): Promise<ReadonlyMap<Asset, bigint>> => {
  const listed = rows.filter(
    ({ canonicalAsset }) => canonicalAsset === NATIVE || isListed(chain, canonicalAsset),
  );
  const asked = listed.slice(0, BALANCES_ASKED_MAX).map(({ canonicalAsset }) => canonicalAsset);
  return answersByKey(holdings.holding, { ...onChain, wallet }, asked);
};

type BalanceFacts = {
  /** Whether the rows are the whole history. */
  readonly isComplete: boolean;
  /** Balances from nodes, if nodes were asked. */
  readonly held: ReadonlyMap<Asset, bigint>;
  readonly facts: ReadonlyMap<Asset, AssetFacts>;
  readonly priceNow: (canonicalAsset: Asset) => number | null;
};

/**
 * The wallet's balances. With an incomplete history and no answer from a node, only the assets are known: a
 * sum of some rows would be wrong, and 0 would claim that the wallet holds nothing.
 */
export const findBalances = (
  rows: readonly RowBalance[],
  { isComplete, held, facts, priceNow }: BalanceFacts,
): readonly Balance[] =>
  rows
    .flatMap(({ canonicalAsset, raw }): Balance[] => {
      const known = facts.get(canonicalAsset);
      if (known === undefined) return [];
      const byNode = held.get(canonicalAsset) ?? null;
      const amountRaw = byNode ?? (isComplete ? raw : null);
      if (amountRaw === null)
        return [{ asset: canonicalAsset, facts: known, amountRaw, usd: null, source: null }];
      if (amountRaw <= 0n) return [];
      const price = priceNow(canonicalAsset);
      const usd =
        price === null || known.decimals === null ? null : toWholeUnits(amountRaw, known.decimals) * price;
      return [
        { asset: canonicalAsset, facts: known, amountRaw, usd, source: byNode === null ? 'rows' : 'node' },
      ];
    })
    .toSorted((a, b) => (b.usd ?? -1) - (a.usd ?? -1))
    .slice(0, BALANCES_MAX);
