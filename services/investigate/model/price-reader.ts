import type { CanonicalAsset } from './asset.ts';
import type { Chain } from './chain.ts';
import type { ReadLimits } from './transfer-reader.ts';

/**
 * Where a price comes from: `peg`, a listed stablecoin held to be worth its dollar; `market`, trades on the chain itself;
 * `import:<name>`, a list that somebody imported.
 */
export type PriceSource = 'peg' | 'market' | `import:${string}`;

/** Dollars for one whole unit. */
export type Price = { readonly usd: number; readonly source: PriceSource };

export type Moment = { readonly canonicalAsset: CanonicalAsset; readonly timeUnixSeconds: number };

export type PriceReader = {
  /**
   * What each asset was worth at its time, in the order asked; null where that is not known. One round of one query,
   * however many are asked. Throws `ReadFailedError` as the transfer reader does.
   */
  readonly prices: (
    request: ReadLimits & {
      chain: Chain;
      moments: readonly Moment[];
      /** How far a market price is carried; unless given `MARKET_REACH_HOURS`. */
      reachHours?: number;
    },
  ) => Promise<readonly (Price | null)[]>;
};
