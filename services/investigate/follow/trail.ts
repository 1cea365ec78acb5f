import type { Address } from '../model/address.ts';
import type { Asset, AssetFamily } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import type { TransactionPosition } from '../model/transfer-reader.ts';

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

/**
 * A trail found, whose transactions are positions, becomes a trail to show, whose transactions are hashes: the tables
 * that are read hop by hop hold no hashes.
 */
type Found = TransactionPosition;

/** Amounts are raw units of the followed asset. */
export type Hop<Transaction = string> = {
  readonly from: Address;
  readonly to: Address;
  readonly amountRaw: bigint;
  /** Part of what had arrived in `from`, 0..1. */
  readonly share: number;
  /** The largest transaction that carried the money, and its time. */
  readonly signature: Transaction;
  readonly timeUnixSeconds: number;
  readonly toLabel: Label | null;
};

export type Branch<Transaction = string> = {
  readonly to: Address;
  readonly amountRaw: bigint;
  readonly signature: Transaction;
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

export type TrailEnd<Transaction = string> = { readonly address: Address; readonly detail: string } & (
  | { readonly reason: 'exchange' | 'bridge' | 'mixer' | 'loop' | 'max_hops' | 'no_data' }
  | { readonly reason: 'at_rest'; readonly holdingRaw: bigint | null }
  | { readonly reason: 'split'; readonly branches: readonly Branch<Transaction>[] }
  | {
      readonly reason: 'dex_swap';
      readonly output: SwapOutput;
      /** The largest swap. */
      readonly signature: Transaction;
      /** Of the first swap: following `output` from here on loses nothing. */
      readonly timeUnixSeconds: number;
    }
);

export type Trail<Transaction = string> = {
  readonly chain: Chain;
  readonly start: Address;
  readonly asset: FollowedAsset;
  readonly hops: readonly Hop<Transaction>[];
  readonly end: TrailEnd<Transaction>;
};

export type FoundHop = Hop<Found>;
export type FoundBranch = Branch<Found>;
export type FoundEnd = TrailEnd<Found>;
export type FoundTrail = Trail<Found>;
