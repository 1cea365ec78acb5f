import type { Address } from '../model/address.ts';
import type { Asset, CanonicalAsset } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import type { PriceSource } from '../model/price-reader.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';
import type { ShownAsset } from '../model/value-amounts.ts';
import type { Fate } from './fates/fate.ts';
import type { Inflow, Stake } from './payments/inflow.ts';
import type { Position } from './positions/position.ts';
import type { Rest } from './rest.ts';
import type { Caveat, Got, NamedAsset, SwapOutput, TruncatedRead, Why } from './why.ts';

export type FollowRequest = {
  readonly chain: Chain;
  readonly start: Address;
  /** null: whatever left first. */
  readonly canonicalAsset: CanonicalAsset | null;
  /** The first second that counts, backward the last; null: from the beginning, backward from the end. */
  readonly atUnixSeconds: number | null;
  /**
   * How much of the asset, in whole units, is followed from the start wallet: what it held at that moment, or what
   * `counterparty` paid it from then on. null: all that left it, or all that was paid.
   */
  readonly amount: number | null;
  /** How much of what is followed is the traced money, in raw units; null: all of it. */
  readonly tracedRaw: bigint | null;
  /** Whose payments to the start wallet are followed (backward: the start wallet's payments to whom); null: not only them. */
  readonly counterparty: Address | null;
  /** Follows where the money came from. */
  readonly backward: boolean;
  /** 1 to `HOPS_MAX`. */
  readonly maxHops: number;
};

/**
 * A trail found, whose transactions are positions, becomes a trail to show, whose transactions are hashes with what they
 * were worth: the tables that are read hop by hop hold neither.
 */
type Found = { readonly mainTransfer: Inflow };
type Shown = {
  /** How much of `amountRaw` is the traced money: the rest was the senders' own. */
  readonly tracedRaw: bigint;
  /** The largest transaction that carried the money. */
  readonly signature: string;
  /** Dollars of the amount, of a hop of what is traced of it, by the price at the time of that transaction; null where it is not known. */
  readonly usd: number | null;
  /** Of that price. */
  readonly usdSource: PriceSource | null;
};

/** Amounts are raw units of the followed asset. Backward, `from` is whom the trail comes from and `to` whom that got it from. */
export type Branch<Details = Shown> = Details & {
  readonly from: Address;
  readonly to: Address;
  readonly amountRaw: bigint;
  /** Of the first transaction, backward of the last: following `to` from here on loses nothing. */
  readonly sinceUnixSeconds: number;
  readonly toLabel: Label | null;
  /** What was got for it (backward, given), where it was swapped through `to`; null: it was paid to `to`. */
  readonly output: Got | null;
};

/** A contract that paid out what it got within the same transactions. */
export type Passed = { readonly address: Address; readonly label: Label | null };

export type Hop<Details = Shown> = Details & {
  readonly from: Address;
  readonly to: Address;
  /** Contracts on the way, in order; mostly none. */
  readonly through: readonly Passed[];
  /** All that these transactions carried, what the sender added of its own included. */
  readonly amountRaw: bigint;
  /** What had arrived in `from`; at the start, where no amount is known, all that left it. */
  readonly arrivedRaw: bigint;
  /** Each transaction once, with what it carried, in the trail's order. Never empty. */
  readonly carriers: readonly Inflow[];
  /** Of `from` and those contracts the ones that were read in part; mostly none. */
  readonly cuts: readonly TruncatedRead[];
  /** Part of `arrivedRaw`, 0..1. */
  readonly share: number;
  /** Where `arrivedRaw` is from: the chain, the request, or only what is indexed of what left. */
  readonly shareOf: Stake['source'];
  /** Of the largest transaction that carried it. */
  readonly timeUnixSeconds: number;
  /** Of the first transaction, backward of the last. */
  readonly sinceUnixSeconds: number;
  readonly toLabel: Label | null;
  /** Where `from` had put the money away before, and got it back; mostly nowhere. */
  readonly positions: readonly Position[];
  /** What else left `from`, or those contracts, largest first. */
  readonly others: readonly Branch<Details>[];
};

/** One of the transactions that carried a hop. */
export type Carried = {
  readonly signature: string;
  readonly amountRaw: bigint;
  readonly timeUnixSeconds: number;
};

/** Money that was put away and came back to the same wallet. */
export type ShownPosition = {
  readonly receipt: Asset;
  /** Of the deposit, and of what came back. */
  readonly signatures: readonly [deposit: string, back: string];
  /** What came back. */
  readonly amountRaw: bigint;
  readonly timeUnixSeconds: number;
};

export type ShownHop = Omit<Hop, 'positions'> & {
  readonly positions: readonly ShownPosition[];
  /** The largest that carried it, in the trail's order. */
  readonly transactions: readonly Carried[];
};

/** Without known decimals, amounts count raw units. */
export type FollowedAsset = ShownAsset;

/** Where the money came out of a bridge; amounts are raw units of its asset there. */
export type FarSide = {
  readonly chain: Chain;
  readonly asset: NamedAsset;
  readonly address: Address;
  readonly amountRaw: bigint;
  readonly signature: string;
  readonly timeUnixSeconds: number;
  /** What told it: the bridge's number of the message, or beneficiary, amount and time. */
  readonly by: 'id' | 'beneficiary';
  /** From 0 to 1. */
  readonly confidence: number;
  /** What the bridge says was put in for it, in the hop's asset, others' money too. null: unknown. */
  readonly bridgedRaw: bigint | null;
};

/** What left the last wallet beside what ends the trail: a little where most of the money rests, or what was not swapped. Largest first. */
type Besides<Details> = { readonly others?: readonly Branch<Details>[] };

export type TrailEnd<Details = Shown> = {
  readonly address: Address;
  readonly why: Why;
  readonly caveats: readonly Caveat[];
} & (
  | { readonly reason: 'exchange' | 'mixer' | 'loop' | 'max_hops' }
  /** `unread`: the wallet's history is not indexed, and its chain's nodes can be asked for it. */
  | ({
      readonly reason: 'no_data';
      /** `left_out`: what others' transactions moved may be it. `new`: it came with the newest block. */
      readonly because: 'unread' | 'not_indexed' | 'unpaid' | 'failed' | 'left_out' | 'new';
      /** With `unread`: which part of it to read next; null: all of it. */
      readonly rest?: Rest | null;
    } & Besides<Details>)
  | { readonly reason: 'bridge'; readonly output: FarSide | null }
  | ({
      readonly reason: 'at_rest';
      readonly holdingRaw: bigint | null;
      /** `node`: what a node of the chain says now. null where it is not known. */
      readonly holdingSource: 'rows' | 'node' | null;
      /** Of the money that is followed. */
      readonly fate: Fate;
    } & Besides<Details>)
  | { readonly reason: 'split'; readonly branches: readonly Branch<Details>[] }
  | ({
      readonly reason: 'dex_swap';
      /** null where the transaction does not tell it. */
      readonly output: SwapOutput | null;
      /** Where the output is a receipt that its issuer pays back; who that is, if a list or a label names him. */
      readonly position?: { readonly issuer: string | null };
      /** Of the first swap, backward of the last: following `output` from here on loses nothing. */
      readonly timeUnixSeconds: number;
    } & (Details extends Shown ? Pick<Shown, 'signature'> : Found) &
      Besides<Details>)
);

/** What reached a wallet, and how much of that is the traced money. */
export type Came = { readonly arrivedRaw: bigint; readonly tracedRaw: bigint };

export type Trail<Details = Shown> = {
  readonly chain: Chain;
  readonly start: Address;
  /** Who that is, where somebody knows. */
  readonly startLabel: Label | null;
  readonly backward: boolean;
  readonly asset: FollowedAsset;
  /** What reached the start; null where all that left it is followed. */
  readonly came: Came | null;
  readonly hops: readonly (Details extends Shown ? ShownHop : Hop<Details>)[];
  readonly end: TrailEnd<Details>;
  /** What of the chain is indexed; null where nothing is. */
  readonly span: ContiguousRange | null;
  /** Whether all that the trail was read from is indexed. */
  readonly isComplete: boolean;
};

export type FoundHop = Hop<Found>;
export type FoundBranch = Branch<Found>;
export type FoundEnd = TrailEnd<Found>;
export type FoundTrail = Trail<Found> & {
  /** The hop to whom the money was sold, where it ends so. */
  readonly sold: FoundHop | null;
  /** Where it was read in part what reached the start; mostly none. */
  readonly cuts: readonly TruncatedRead[];
};

/** Payments that an end names: where the money split, or what left beside what ends the trail. */
export const branchesOf = <Details>(end: TrailEnd<Details>): readonly Branch<Details>[] =>
  end.reason === 'split' ? end.branches : ('others' in end && end.others) || [];
