import type { Address } from '../model/address.ts';
import type { Asset, AssetFamily } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';

export type FollowRequest = {
  readonly chain: Chain;
  readonly start: Address;
  /** null: whatever left first. */
  readonly family: AssetFamily | null;
  /** null: from the beginning. */
  readonly sinceUnixSeconds: number | null;
  /** 1 to `HOPS_MAX`. */
  readonly maxHops: number;
};

/** Amounts are raw units of the followed asset. */
export type Hop = {
  readonly from: Address;
  readonly to: Address;
  readonly amountRaw: bigint;
  /** Part of what had arrived in `from`, 0..1. */
  readonly share: number;
  /** The largest transaction that carried the money, and its time. */
  readonly signature: string;
  readonly timeUnixSeconds: number;
  readonly toLabel: Label | null;
};

export type Branch = {
  readonly to: Address;
  readonly amountRaw: bigint;
  readonly signature: string;
  readonly toLabel: Label | null;
};

export type FollowedAsset = {
  readonly family: AssetFamily;
  readonly symbol: string | null;
  /** null where no block and no list says it: amounts then count raw units. */
  readonly decimals: number | null;
};

export type SwapOutput = {
  readonly asset: Asset;
  readonly symbol: string | null;
  readonly decimals: number | null;
};

export type TrailEnd = { readonly address: Address; readonly detail: string } & (
  | { readonly reason: 'exchange' | 'bridge' | 'mixer' | 'loop' | 'max_hops' | 'no_data' }
  | { readonly reason: 'at_rest'; readonly holdingRaw: bigint | null }
  | { readonly reason: 'split'; readonly branches: readonly Branch[] }
  | {
      readonly reason: 'dex_swap';
      readonly output: SwapOutput;
      /** The largest swap. */
      readonly signature: string;
      /** Of the first swap: following `output` from here on loses nothing. */
      readonly timeUnixSeconds: number;
    }
);

export type Trail = {
  readonly chain: Chain;
  readonly start: Address;
  readonly asset: FollowedAsset;
  readonly hops: readonly Hop[];
  readonly end: TrailEnd;
};
