import type { CanonicalAsset } from './asset.ts';
import type { Chain } from './chain.ts';
import type { Query } from './query.ts';

/**
 * The source of a price. `peg`: a listed stablecoin counts as its dollar. `market`: trades on the chain
 * itself. `import:<name>`: an imported list.
 */
export type PriceSource = 'peg' | 'market' | `import:${string}`;

/** Dollars for one whole unit. */
export type Price = { readonly usd: number; readonly source: PriceSource };

export type Moment = { readonly canonicalAsset: CanonicalAsset; readonly timeUnixSeconds: number };

export type PriceReader = {
  /** The price of each asset at its time; null when unknown. */
  readonly prices: Query<
    {
      readonly chain: Chain;
      /** Maximum distance of a market price, in hours. Default: `MARKET_REACH_HOURS`. */
      readonly reachHours?: number;
    },
    Moment,
    Price | null
  >;
};
