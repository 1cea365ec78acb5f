import type { Address } from './address.ts';
import type { CanonicalAsset } from './asset.ts';
import type { Query } from './query.ts';

/** A wallet's current balances, read from its chain's nodes. */
export type HoldingReader = {
  /**
   * Raw units of each asset, the coin with what is wrapped of it; null where no node of the chain is known or says it in time. Never
   * throws.
   */
  readonly holding: Query<
    { readonly chain: string; readonly wallet: Address },
    CanonicalAsset,
    bigint | null
  >;
};

export const NO_HOLDINGS: HoldingReader = { holding: async (_, assets) => assets.map(() => null) };
