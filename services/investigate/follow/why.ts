import type { Address } from '../model/address.ts';
import type { Asset } from '../model/asset.ts';
import type { Label } from '../model/label.ts';
import type { PlacedBridgeTransfer } from '../model/transfer-reader.ts';
import type { ShownAsset } from '../model/value-amounts.ts';

export type NamedAsset = Omit<ShownAsset, 'canonicalAsset'> & { readonly asset: Asset };

/** What came out of a swap; backward, what was given for the money. */
export type SwapOutput = NamedAsset & {
  /** null where it is not known of all that was swapped. */
  readonly amountRaw: bigint | null;
  /** Dollars at that time; null before prices were read, and where none is known. */
  readonly usd: number | null;
};

/** Who got the output; mostly the wallet that swapped. */
export type Got = SwapOutput & { readonly recipient: Address };

/** A wallet of which only so many rows were read, though there are more. */
export type TruncatedRead = {
  readonly wallet: Address;
  readonly rows: number;
  /** Why it was read: for its payments to the start wallet, or for its other receipts. Missing: for where the money went. */
  readonly side?: 'payer' | 'receipts';
};

/** What of it was sold to one recipient for one asset. */
export type Sold = { readonly amountRaw: bigint; readonly output: Got };

/** How much of the arrived money left, and how much of the asset was burnt since. */
export type Rested = {
  readonly leftRaw: bigint;
  readonly arrivedRaw: bigint;
  readonly burntRaw: bigint;
  /** The arrived amount is known only from the request. */
  readonly isAssertedByCaller: boolean;
};

/**
 * Why a trail ends at its last wallet, as data: the presenter of an answer puts it into words. Amounts are raw units of the
 * followed asset. Backward the same words mean sources: what "left" a wallet had come into it.
 */
export type Why =
  | { readonly type: 'reached'; readonly label: Label }
  | { readonly type: 'hops_used'; readonly hops: number }
  | { readonly type: 'time_used' }
  | { readonly type: 'unknown' }
  /** No block of the chain is indexed, and no node of it is known. */
  | { readonly type: 'chain_unread' }
  /** The money came with the newest indexed block: what follows is not known yet. */
  | { readonly type: 'just_arrived'; readonly arrivedRaw: bigint }
  | { readonly type: 'unread' }
  | { readonly type: 'unindexed' }
  | { readonly type: 'unpaid'; readonly counterparty: Address }
  /** Nobody has the key of the wallet. */
  | { readonly type: 'burnt' }
  | { readonly type: 'looped' }
  /** A contract that many others pay: what leaves it later belongs to whoever withdraws. */
  | { readonly type: 'pooled' }
  | { readonly type: 'nothing_left'; readonly burntRaw: bigint }
  | ({ readonly type: 'rests' | 'scattered' } & Rested)
  | {
      readonly type: 'split';
      readonly destinations: number;
      readonly largestRaw: bigint;
      readonly leftRaw: bigint;
    }
  | {
      readonly type: 'swapped';
      readonly amountRaw: bigint;
      readonly output: SwapOutput;
      /** Who gave most of what was got; null where that was issued by nobody. */
      readonly through: Address | null;
    }
  | {
      readonly type: 'sold';
      readonly from: Address;
      /** Pools, mostly one. */
      readonly through: readonly Address[];
      readonly amountRaw: bigint;
      readonly streams: readonly Sold[];
    }
  /** Assets are swapped there; what was got is not told by the transaction that brought the money. */
  | { readonly type: 'sold_unseen' };

export type Unmatched = {
  /** What the bridge reported about the crossing; null: nothing that this version understands. */
  readonly near: PlacedBridgeTransfer | null;
  /** Whether anything of the chain that it named is indexed; null where it named none. */
  readonly isRead: boolean | null;
  /** Payouts of different assets have its number. */
  readonly isAmbiguous: boolean;
};

/** What may make an answer wrong or incomplete, as data for the same presenter. */
export type Caveat =
  | ({ readonly type: 'read_in_part' } & TruncatedRead)
  | { readonly type: 'known_in_part' }
  /** What others' transactions moved of a token that may log falsely, which does not count: largest first in `others`. */
  | { readonly type: 'left_out'; readonly amountRaw: bigint; readonly to: readonly Address[] }
  | { readonly type: 'swaps_unread' }
  /** Only some payments of a hop were looked at for whether they were sales. */
  | {
      readonly type: 'sales_looked_at';
      readonly count: number;
      readonly all: number;
      readonly amountRaw: bigint;
    }
  /** Too much happened in the transactions of a hop to see whether they were sales. */
  | { readonly type: 'sale_unread'; readonly from: Address; readonly to: Address }
  /** Senders on the way added money of their own: so much of what reached the last wallet is the trail's. */
  | { readonly type: 'own_money'; readonly arrivedRaw: bigint; readonly tracedRaw: bigint }
  /** The start is a service: what leaves it is mostly its customers'. */
  | { readonly type: 'start_is_service'; readonly start: Address; readonly label: Label }
  /** Where the money came out of a bridge (backward, went in) is not known. */
  | ({ readonly type: 'far_unmatched' } & Unmatched)
  /** The same, as that could not be read. */
  | { readonly type: 'far_unread' }
  /** Other crossings of the same hop. */
  | { readonly type: 'crossed_besides'; readonly crossings: readonly PlacedBridgeTransfer[] };

const LIMITS: ReadonlySet<Caveat['type']> = new Set([
  'read_in_part',
  'known_in_part',
  'left_out',
  'swaps_unread',
  'sales_looked_at',
  'sale_unread',
  'far_unread',
]);

/** Whether it may hide where the money went, so that the answer is partial. */
export const isLimit = ({ type }: Caveat): boolean => LIMITS.has(type);

/** Adds caveats to an end, in the order in which they were found. */
export const addCaveats = <End extends { readonly caveats: readonly Caveat[] }>(
  end: End,
  caveats: readonly Caveat[],
): End => (caveats.length === 0 ? end : { ...end, caveats: [...end.caveats, ...caveats] });

/** If reading a wallet stopped early, the decision there may be wrong. */
export const readInPart = (cut: TruncatedRead): Caveat => ({ type: 'read_in_part', ...cut });
