import type { Address } from './address.ts';
import type { Asset, CanonicalAsset } from './asset.ts';
import type { Bridge, BridgeTransfer } from './bridge-transfer.ts';
import type { Label } from './label.ts';
import type { MovementKind } from './movement.ts';

/**
 * The port through which the brain asks what happened on a chain. Every method is one round of indexed queries, whatever
 * stands behind it; addresses are in the form tables hold; amounts are exact.
 *
 * Every method throws `ReadFailedError` when it cannot answer (anything else thrown is a mistake in the code), and stops
 * its work when `signal` aborts.
 */
export type TransferReader = {
  /**
   * A wallet's outflows of one canonical asset in chain order from `from` on (inclusive): transfers to others, and
   * swaps that gave the asset away. Within a transaction swaps come first, so that a reader of its transfers already
   * knows them.
   */
  readonly departures: (request: FlowsRequest) => Promise<FlowPage>;
  /** The same of what reached a wallet, from `from` on into the past: the latest transaction first, swaps first in each. */
  readonly arrivals: (request: FlowsRequest) => Promise<FlowPage>;
  /** The same of several wallets at once, in the order asked: one question, however many they are. */
  readonly flowsTogether: (request: FlowsTogetherRequest) => Promise<readonly FlowPage[]>;
  /** Which of these wallets swapped the asset away within the time that stands beside each. */
  readonly swappers: (request: SwappersRequest) => Promise<ReadonlySet<Address>>;
  /** Per canonical asset that ever left the wallet since a time: when first, and how much altogether. */
  readonly assetsSent: (request: AssetsSentRequest) => Promise<readonly AssetSent[]>;
  /** The same of what reached the wallet until a time; `first` is the latest of each. */
  readonly assetsReceived: (request: AssetsReceivedRequest) => Promise<readonly AssetSent[]>;
  /** What reached an address on other chains within a time, issued to it or paid by somebody; earliest first. */
  readonly farArrivals: (request: FarArrivalsRequest) => Promise<readonly FarArrival[]>;
  /** What bridges told of transactions of a chain, in the chain's order. */
  readonly bridgeTransfers: (request: BridgeTransfersRequest) => Promise<readonly PlacedBridgeTransfer[]>;
  /** What they told of crossings, on all chains, earliest first. */
  readonly bridgeMessages: (request: BridgeMessagesRequest) => Promise<readonly PlacedBridgeTransfer[]>;
  /**
   * Sum of everything known to have reached the wallet minus everything known to have left it, fees and wrapping
   * included; null when no row names the wallet with this asset. Negative where history is known only in part.
   */
  readonly balance: (request: WalletAssetRequest) => Promise<bigint | null>;
  /** How much of it the wallet destroyed since a time. */
  readonly burnt: (request: BurntRequest) => Promise<bigint>;
  /** Every hand-over of the transactions at those positions; none of one that `limit` rows of any kind do not hold whole. */
  readonly wholeTransactions: (
    request: ReadLimits & { chain: string; positions: readonly TransactionPosition[]; limit: number },
  ) => Promise<WholeTransactions>;
  /** The hash of each transaction, in the order asked; null where no row of that place and time is known. */
  readonly transactionHashes: (request: TransactionHashesRequest) => Promise<readonly (string | null)[]>;
  /** The contiguous range up to the newest indexed block; null where nothing is indexed. */
  readonly contiguousRange: (request: ReadLimits & { chain: string }) => Promise<ContiguousRange | null>;
  /** Whether any row names the wallet. */
  readonly isKnown: (request: WalletRequest) => Promise<boolean>;
  /** Labels of the addresses. Unknown addresses are missing from the map. */
  readonly labels: (
    request: ReadLimits & { chain: string; addresses: readonly Address[] },
  ) => Promise<ReadonlyMap<Address, Label>>;
};

/** The newest indexed block and those before it, back to the last gap. Times are unix seconds. */
export type ContiguousRange = {
  readonly fromUnixSeconds: number;
  readonly toUnixSeconds: number;
  /** Number of the newest. */
  readonly toBlock: number;
  /** There is no gap down to the chain's own first block. */
  readonly beginsChain: boolean;
};

export type ReadLimits = { readonly signal: AbortSignal; readonly timeoutMs: number };
export type WalletRequest = ReadLimits & { readonly chain: string; readonly wallet: Address };
export type WalletAssetRequest = WalletRequest & { readonly canonicalAsset: CanonicalAsset };
export type TransactionHashesRequest = ReadLimits & {
  readonly chain: string;
  readonly positions: readonly TransactionPosition[];
};
export type BurntRequest = WalletAssetRequest & {
  readonly sinceUnixSeconds: number;
  /** As for `departures`. */
  readonly ownOnly: boolean;
};
export type AssetsSentRequest = WalletRequest & { readonly sinceUnixSeconds: number };
export type AssetsReceivedRequest = WalletRequest & { readonly untilUnixSeconds: number };
export type FlowsRequest = WalletAssetRequest & {
  readonly from: RowPosition;
  /** Only what transactions of the wallet itself did: for tokens whose contract may log what never was. */
  readonly ownOnly: boolean;
  /** Leaves swaps out, and saves the question for them. */
  readonly transfersOnly?: boolean;
  /** Recipients of at least so much in one of these transfers may be read with the same query. */
  readonly aheadRaw?: bigint;
  /** Rows at most in the page, at least 1. */
  readonly limit: number;
};

export type FlowsTogetherRequest = Omit<FlowsRequest, 'wallet' | 'from' | 'aheadRaw'> & {
  readonly side: 'departures' | 'arrivals';
  /** Each wallet once, with where its page begins. */
  readonly places: readonly { readonly wallet: Address; readonly from: RowPosition }[];
};

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
  /** On any of those chains, with the smallest amount that counts: anybody can send dust. */
  readonly leastRaw: ReadonlyMap<CanonicalAsset, bigint>;
  readonly fromUnixSeconds: number;
  readonly toUnixSeconds: number;
  readonly limit: number;
};

/** Amount above 0, kind one of `HAND_OVER_KINDS` or `mint`. */
export type FarArrival = TransactionPosition & {
  readonly chain: string;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  /** null where it was issued. */
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

/** Where a transaction stands. Times are unix seconds; 0 where its block has none. */
export type TransactionPosition = {
  readonly blockTime: number;
  readonly blockNumber: number;
  readonly txIndex: number;
};

export type TransactionRow = TransactionPosition & {
  readonly hash: string;
  /** Of the transaction. */
  readonly sender: Address;
  readonly from: Address;
  readonly to: Address;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  /** Who signed for it where that is not `from`: a delegate, a spender. */
  readonly authority: Address | null;
};

export type WholeTransactions = {
  readonly rows: readonly TransactionRow[];
  /** Of the positions asked for those whose rows the limit left out. */
  readonly unread: readonly TransactionPosition[];
};

/** Where a row stands: swaps count from 0, transfers from `TRANSFER_STEP`. */
export type RowPosition = TransactionPosition & { readonly step: number };

/** Far above the swaps one transaction can hold: transfers come after all of them. */
export const TRANSFER_STEP = 1_000_000;

/** Kinds that hand value from one party to another; the rest is the chain's own bookkeeping and never a hop. */
export const HAND_OVER_KINDS = ['transfer', 'program', 'owner_change'] as const satisfies MovementKind[];

/** Amount above 0, kind one of `HAND_OVER_KINDS`, the other side known and not the wallet itself. */
export type TransferFlow = RowPosition & {
  readonly type: 'transfer';
  readonly counterparty: Address;
  readonly amountRaw: bigint;
};

export type SwapFlow = RowPosition & {
  readonly type: 'swap';
  /** On balance over the whole transaction: swaps of one transaction that gave (got) the same asset all say the same. */
  readonly amountRaw: bigint;
  /** What came back for it; of an arrival, what it was got for. */
  readonly otherAsset: Asset;
  /** How much of that; of swaps of one transaction each says its own part. */
  readonly otherRaw: bigint;
  /** The party that gave back most of what was received; null when it was issued. */
  readonly through: Address | null;
};

/** Of one canonical asset, out of a wallet or into it. */
export type Flow = TransferFlow | SwapFlow;

export type FlowPage = {
  readonly rows: readonly Flow[];
  /** Where the next page starts; null when this was the last. */
  readonly next: RowPosition | null;
  /** Of wallets that some of these rows paid, all that was asked of this one. */
  readonly ahead?: ReadonlyMap<Address, readonly Flow[]>;
};

/** Amounts are hand-overs only, as in `TransferFlow`, without what was wrapped or unwrapped: it stayed where it was. */
export type AssetSent = {
  readonly canonicalAsset: CanonicalAsset;
  readonly first: TransactionPosition;
  readonly sumRaw: bigint;
  /** The same of transactions that the wallet itself sent; null when there is none. */
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

/** Negative when `a` comes first, as the chain ordered them. */
export const compareTransactions = (a: TransactionPosition, b: TransactionPosition): number =>
  a.blockTime - b.blockTime || a.blockNumber - b.blockNumber || a.txIndex - b.txIndex;

/** In the order of their chain, whose blocks may have no time. */
export const comparePlaces = (a: TransactionPlace, b: TransactionPlace): number =>
  a.blockNumber - b.blockNumber || a.txIndex - b.txIndex;

type TransactionPlace = Pick<TransactionPosition, 'blockNumber' | 'txIndex'>;

/** The same for all that one transaction did, another for every other transaction of its chain. */
export const transactionKey = ({ blockNumber, txIndex }: TransactionPlace): string =>
  `${blockNumber}/${txIndex}`;

export const compareRows = (a: RowPosition, b: RowPosition): number =>
  compareTransactions(a, b) || a.step - b.step;

/** The order of `arrivals`. */
export const compareRowsBackward = (a: RowPosition, b: RowPosition): number =>
  compareTransactions(b, a) || a.step - b.step;
