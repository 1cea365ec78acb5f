import type { Address } from '../model/address.ts';
import type { Asset } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';

export type InsidersRequest = {
  readonly chain: Chain;
  readonly token: Asset;
  /** Seconds after the launch. */
  readonly windowSeconds: number;
};

/**
 * Why a wallet is an insider.
 *
 * - `creator`: created the token, or, when that event is not kept, sent the first transaction that names it
 * - `creator_funded`: the creator sent it its first coin, or paid it before it bought
 * - `funded_creator`: sent the creator its first coin
 * - `shared_funder`: a wallet that funded only few sent it and another insider their first coin
 * - `bundle`: bought together with others in one transaction, or in one block with a common payer or funder
 * - `sniper`: bought in the launch slot or one of the two after it
 * - `launch_recipient`: received the token from the creator or by issuance, without paying
 * - `top_holder`: is also one of the largest holders now
 */
export const INSIDER_KINDS = [
  'creator',
  'creator_funded',
  'funded_creator',
  'shared_funder',
  'bundle',
  'sniper',
  'launch_recipient',
  'top_holder',
] as const;
export type InsiderKind = (typeof INSIDER_KINDS)[number];

/** The evidence for a kind. `with` is the other party, if there is one. */
export type InsiderLink = {
  readonly kind: InsiderKind;
  readonly with: Address | null;
  readonly detail: string;
  readonly signatures: readonly string[];
};

export type Insider = {
  readonly address: Address;
  readonly label: Label | null;
  readonly kinds: readonly InsiderKind[];
  readonly links: readonly InsiderLink[];
  readonly confidence: number;
  readonly boughtRaw: bigint;
  readonly heldRaw: bigint;
  /** Share of the supply; null when the supply is unknown. */
  readonly shareBought: number | null;
  readonly shareHeld: number | null;
  /** null when the value of a trade is unknown; 0 when there was no trade. */
  readonly boughtUsd: number | null;
  readonly soldUsd: number | null;
  readonly profitUsd: number | null;
  readonly firstBuyUnixSeconds: number | null;
};

export type InsiderGroup = {
  readonly funder: Address;
  readonly label: Label | null;
  readonly members: readonly Address[];
  readonly shareBought: number | null;
  readonly shareHeld: number | null;
};

export type Launch = {
  readonly signature: string;
  readonly blockNumber: number;
  readonly timeUnixSeconds: number;
  /** Who sold the token first: a pool or a launchpad's curve; null when nobody has sold it yet. */
  readonly venue: Address | null;
  readonly venueLabel: Label | null;
  /** `launchpad`: the token was issued to the venue. `pool`: somebody deposited it there. */
  readonly venueKind: 'launchpad' | 'pool' | null;
};

export type Creator = {
  readonly address: Address;
  readonly label: Label | null;
  readonly funder: Address | null;
  readonly funderLabel: Label | null;
  readonly fundedUnixSeconds: number | null;
};

export type InsidersReport = {
  readonly request: InsidersRequest;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** null when there are too many holders to count in time, or blocks since the token's creation are missing. */
  readonly supplyRaw: bigint | null;
  readonly holders: number | null;
  readonly creator: Creator | null;
  readonly launch: Launch | null;
  /** The highest confidence first. */
  readonly insiders: readonly Insider[];
  readonly groups: readonly InsiderGroup[];
  readonly totals: {
    readonly insiders: number;
    readonly shareBought: number | null;
    readonly shareHeld: number | null;
    /** Sum over insiders whose dollars are known; null when there are some and none is known. */
    readonly boughtUsd: number | null;
    readonly soldUsd: number | null;
    readonly profitUsd: number | null;
    /** Insiders whose profit is unknown. */
    readonly unpriced: number;
    /** null when the launch is unknown. */
    readonly earlyBuyers: number | null;
  };
  /** Set when nobody but the creator is an insider: the reason, as a sentence. */
  readonly whyNone: string | null;
  /** Missing data, one sentence each. */
  readonly gaps: readonly string[];
  /** Set when one sender gave the token to so many wallets that the gift ties nobody: a sentence. */
  readonly airdrop: string | null;
  readonly scope: 'full' | 'partial' | 'no_data';
  readonly span: ContiguousRange | null;
};
