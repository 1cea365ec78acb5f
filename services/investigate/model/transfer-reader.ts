import type { Address } from './address.ts';
import type { Asset, CanonicalAsset } from './asset.ts';
import type { Bridge, BridgeTransfer } from './bridge-transfer.ts';
import type { Label } from './label.ts';
import type { MovementKind } from './movement.ts';
import type { Query, QueryLimits } from './query.ts';

/**
 * The port for reading transfers. Every method is one round of indexed queries in every implementation.
 * Addresses have the form of the tables; amounts are exact.
 */
export type TransferReader = {
  /**
   * A page of each wallet's `departures`, its outflows of one canonical asset in chain order from `from` on (inclusive): transfers to
   * others, and swaps that sold the asset. Within a transaction swaps come first, so that the reader of a
   * transfer already has them. `arrivals` are its inflows, from `from` back in time: the latest transaction first, swaps first in each.
   */
  readonly flows: Query<FlowsOf, FlowPlace, FlowPage>;
  /** Which of these wallets sold the asset by a swap within the time given for each. */
  readonly swappers: (request: SwappersRequest) => Promise<ReadonlySet<Address>>;
  /** For each canonical asset that left the wallet since a time: the first outflow and the total. */
  readonly assetsSent: (request: AssetsSentRequest) => Promise<readonly AssetSent[]>;
  /** The same for inflows until a time; `first` is the latest of each. */
  readonly assetsReceived: (request: AssetsReceivedRequest) => Promise<readonly AssetSent[]>;
  /** Transfers and issuances to an address on other chains within a time, earliest first. */
  readonly farArrivals: (request: FarArrivalsRequest) => Promise<readonly FarArrival[]>;
  /** The bridge transfers of a chain's transactions, in chain order. */
  readonly bridgeTransfers: (request: BridgeTransfersRequest) => Promise<readonly PlacedBridgeTransfer[]>;
  /** Bridge transfers with these ids on all chains, earliest first. */
  readonly bridgeMessages: (request: BridgeMessagesRequest) => Promise<readonly PlacedBridgeTransfer[]>;
  /**
   * All inflow of each wallet minus all outflow, including fees and wrapping; null when no row has the wallet and this
   * asset. Negative when the history is incomplete.
   */
  readonly balance: Query<OfAsset, Address, bigint | null>;
  /** What each wallet burnt, and paid in fees, since a time. */
  readonly lost: Query<LostOf, WalletSince, Lost>;
  /**
   * All transfers of the transaction at each position. null: what it holds is not known, because the list has more than `limit` rows,
   * which come in chain order.
   */
  readonly wholeTransactions: Query<
    OnChain & { readonly limit: number },
    TransactionPosition,
    readonly TransactionRow[] | null
  >;
  /**
   * The hash of each transaction; null when no row at that position and time is known.
   */
  readonly transactionHashes: Query<OnChain, TransactionPosition, string | null>;
  /** Each chain's contiguous range up to the newest indexed block; null when nothing is indexed. */
  readonly contiguousRange: Query<object, string, ContiguousRange | null>;
  /** Whether any row names each wallet. */
  readonly isKnown: Query<OnChain, Address, boolean>;
  /**
   * Which of the addresses are contracts that many others paid in the asset within a time, and that paid it to several or to nobody.
   * An account whose owners sign what it does is none.
   */
  readonly pools: (request: PoolsRequest) => Promise<ReadonlySet<Address>>;
  /** What each address is called; null where nobody says. */
  readonly labels: Query<OnChain, Address, Label | null>;
};

/** The blocks from the newest back to the last gap. Times are unix seconds. */
export type ContiguousRange = {
  readonly fromUnixSeconds: number;
  readonly toUnixSeconds: number;
  /** Number of the first block after the gap. */
  readonly fromBlock: number;
  /** Number of the newest block. */
  readonly toBlock: number;
  /** Whether the range reaches the chain's first block without a gap. */
  readonly beginsChain: boolean;
  /** All blocks from the chain's first one to this one are indexed, whatever is missing later; null where its first is missing. */
  readonly beginningToBlock: number | null;
};

export type ReadLimits = QueryLimits;
export type OnChain = { readonly chain: string };
export type WalletRequest = ReadLimits & { readonly chain: string; readonly wallet: Address };
export type OfAsset = OnChain & { readonly canonicalAsset: CanonicalAsset };
export type LostOf = OnChain & {
  readonly canonicalAsset: CanonicalAsset;
  /** As for `flows`. */
  readonly ownOnly: boolean;
};
export type WalletSince = { readonly wallet: Address; readonly sinceUnixSeconds: number };
export type Lost = { readonly burntRaw: bigint; readonly feesRaw: bigint };
export type PoolsRequest = ReadLimits & {
  readonly chain: string;
  /** Each address once. */
  readonly recipients: readonly MaybePool[];
  readonly canonicalAsset: CanonicalAsset;
  /** As many others as make a pool, at most 100. */
  readonly payersMin: number;
};
/** A recipient, and which payments to it count. */
export type MaybePool = {
  readonly address: Address;
  /** Whether a label calls it a contract, so that no code need have been seen there. */
  readonly isLabelled: boolean;
  /** Smaller payments do not count: anybody can send dust. */
  readonly leastRaw: bigint;
  readonly fromUnixSeconds: number;
  readonly toUnixSeconds: number;
};
export type AssetsSentRequest = WalletRequest & { readonly sinceUnixSeconds: number };
export type AssetsReceivedRequest = WalletRequest & { readonly untilUnixSeconds: number };
export type FlowsOf = {
  readonly chain: string;
  readonly canonicalAsset: CanonicalAsset;
  readonly side: 'departures' | 'arrivals';
  /**
   * For tokens whose contract may log fake transfers: only rows of transactions that the wallet itself sent, and
   * outflows by a spender whom it had allowed the token: in a transaction of its own, or of a token that it used.
   */
  readonly ownOnly: boolean;
  /** Leaves swaps out and saves their query. */
  readonly transfersOnly?: boolean;
  /** For one wallet's transfers: recipients of at least this much in one of them may be read with the same query. */
  readonly aheadRaw?: bigint;
  /** Maximum rows in the page, at least 1. */
  readonly limit: number;
};

/** A wallet, and where its page begins. */
export type FlowPlace = { readonly wallet: Address; readonly from: RowPosition };

export type SwappersRequest = ReadLimits & {
  readonly chain: string;
  readonly canonicalAsset: CanonicalAsset;
  /** As of flows. */
  readonly ownOnly: boolean;
  readonly spans: readonly WalletSpan[];
};

/** Unix seconds, both included. */
export type WalletSpan = {
  readonly wallet: Address;
  readonly fromUnixSeconds: number;
  readonly toUnixSeconds: number;
};

export type FarArrivalsRequest = ReadLimits & {
  readonly wallet: Address;
  readonly chains: readonly string[];
  /**
   * The assets on any of those chains, each with the smallest amount that counts, because anybody can send
   * dust.
   */
  readonly leastRaw: ReadonlyMap<CanonicalAsset, bigint>;
  readonly fromUnixSeconds: number;
  readonly toUnixSeconds: number;
  readonly limit: number;
};

/** Amount above 0; the kind is one of `HAND_OVER_KINDS`, or `mint`. */
export type FarArrival = TransactionPosition & {
  readonly chain: string;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  /** null when it was issued. */
  readonly payer: Address | null;
};

export type BridgeTransfersRequest = ReadLimits & {
  readonly chain: string;
  readonly positions: readonly TransactionPosition[];
};

export type BridgeMessagesRequest = ReadLimits & {
  readonly messages: readonly { readonly bridge: Bridge; readonly messageId: string }[];
};

export type PlacedBridgeTransfer = BridgeTransfer &
  TransactionPosition & { readonly chain: string; readonly signature: string };

/** The position of a transaction. Times are unix seconds, or 0 when the block has none. */
export type TransactionPosition = {
  readonly blockTime: number;
  readonly blockNumber: number;
  readonly txIndex: number;
};

export type TransactionRow = TransactionPosition & {
  readonly hash: string;
  /** Hash of the transaction. */
  readonly sender: Address;
  readonly from: Address;
  readonly to: Address;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  /** Who signed for it when that is not `from`: a delegate or a spender. */
  readonly authority: Address | null;
};

/** The order of rows in a transaction: swaps count from 0, transfers from `TRANSFER_STEP`. */
export type RowPosition = TransactionPosition & { readonly step: number };

/** Far above the number of swaps in one transaction, so that transfers sort after all of them. */
export const TRANSFER_STEP = 1_000_000;

/** Kinds that hand value from one party to another. All others are protocol bookkeeping and never a hop. */
export const HAND_OVER_KINDS = ['transfer', 'program', 'owner_change'] as const satisfies MovementKind[];

/** Amount above 0, kind one of `HAND_OVER_KINDS`, with a known counterparty that is not the wallet itself. */
export type TransferFlow = RowPosition & {
  readonly type: 'transfer';
  readonly counterparty: Address;
  readonly amountRaw: bigint;
};

export type SwapFlow = RowPosition & {
  readonly type: 'swap';
  /**
   * The net amount over the whole transaction. All swaps of one transaction with the same sold (bought) asset
   * have the same value.
   */
  readonly amountRaw: bigint;
  /** The asset received in exchange; for an inflow, the asset given in exchange. */
  readonly otherAsset: Asset;
  /** The amount of that asset. Each swap of one transaction has its own part. */
  readonly otherRaw: bigint;
  /** The party that supplied most of what was received; null when it was issued. */
  readonly through: Address | null;
};

/** Outflows or inflows of a wallet in one canonical asset. */
export type Flow = TransferFlow | SwapFlow;

export type FlowPage = {
  readonly rows: readonly Flow[];
  /** Start of the next page; null when this was the last. */
  readonly next: RowPosition | null;
  /** For wallets that some of these rows paid: their complete page for the same query. */
  readonly ahead?: ReadonlyMap<Address, readonly Flow[]>;
};

/** Only transfers, as in `TransferFlow`, without wrapping and unwrapping, which stays in the wallet. */
export type AssetSent = {
  readonly canonicalAsset: CanonicalAsset;
  readonly first: TransactionPosition;
  readonly sumRaw: bigint;
  /** The same for transactions that the wallet itself sent; null when there is none. */
  readonly own: { readonly first: TransactionPosition; readonly sumRaw: bigint } | null;
};

export type ReadFailure = 'unavailable' | 'timeout' | 'aborted';

export class ReadFailedError extends Error {
  readonly code: ReadFailure;
  constructor(code: ReadFailure, options?: ErrorOptions) {
    super(`transfers could not be read: ${code}`, options);
    this.name = 'ReadFailedError';
    this.code = code;
  }
}

/** Negative when `a` comes first in chain order. */
export const compareTransactions = (a: TransactionPosition, b: TransactionPosition): number =>
  a.blockTime - b.blockTime || a.blockNumber - b.blockNumber || a.txIndex - b.txIndex;

/** By chain order, for blocks that may have no time. */
export const comparePlaces = (a: TransactionPlace, b: TransactionPlace): number =>
  a.blockNumber - b.blockNumber || a.txIndex - b.txIndex;

type TransactionPlace = Pick<TransactionPosition, 'blockNumber' | 'txIndex'>;

/** Equal for all rows of one transaction, and different for every other transaction of its chain. */
export const transactionKey = ({ blockNumber, txIndex }: TransactionPlace): string =>
  `${blockNumber}/${txIndex}`;

export const compareRows = (a: RowPosition, b: RowPosition): number =>
  compareTransactions(a, b) || a.step - b.step;

/** The order of `arrivals`. */
export const compareRowsBackward = (a: RowPosition, b: RowPosition): number =>
  compareTransactions(b, a) || a.step - b.step;
