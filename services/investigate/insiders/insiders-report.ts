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
 * Why somebody is an insider.
 *
 * - `creator`: made the token, or sent the first indexed transaction that named it where nothing shows who did
 * - `creator_funded`: the creator sent it its first coin, or paid it before it bought
 * - `funded_creator`: sent the creator its first coin
 * - `shared_funder`: the same wallet, which few have in common, sent it and another insider their first coin
 * - `bundle`: bought together with others in one transaction, or in one block with a common payer or funder
 * - `sniper`: bought in the launch slot or one of the two after it
 * - `launch_recipient`: was given the token by the creator, or had it issued, without paying
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

/** What shows a kind; `with` is the other party, where there is one. */
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
  /** Of the supply; null where that is not known. */
  readonly shareBought: number | null;
  readonly shareHeld: number | null;
  /** null where the worth of a trade is not known; 0 where it made none. */
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
  /** Who sold the token first: a pool or a launchpad's curve; null where nobody sold it yet. */
  readonly venue: Address | null;
  readonly venueLabel: Label | null;
  /** `launchpad`: the token was issued to the venue; `pool`: somebody put it there. */
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
  /** null where there are too many holders to count them in time. */
  readonly supplyRaw: bigint | null;
  readonly holders: number | null;
  readonly creator: Creator | null;
  readonly launch: Launch | null;
  /** The surest first. */
  readonly insiders: readonly Insider[];
  readonly groups: readonly InsiderGroup[];
  readonly totals: {
    readonly insiders: number;
    readonly shareBought: number | null;
    readonly shareHeld: number | null;
    /** Of insiders whose dollars are known; null where there are some and none is. */
    readonly boughtUsd: number | null;
    readonly soldUsd: number | null;
    readonly profitUsd: number | null;
    /** Insiders whose profit is not known. */
    readonly unpriced: number;
    readonly earlyBuyers: number;
  };
  /** A sentence, where nobody beside the creator is one. */
  readonly whyNone: string | null;
  /** What is missing, each as a sentence. */
  readonly gaps: readonly string[];
  /** A sentence, where one hand gave the token to so many that it ties nobody. */
  readonly airdrop: string | null;
  readonly scope: 'full' | 'partial' | 'no_data';
  readonly span: ContiguousRange | null;
};
