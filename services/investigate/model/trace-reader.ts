import type { Address } from './address.ts';
import type { CanonicalAsset } from './asset.ts';
import type {
  ReadLimits,
  TransactionHashesRequest,
  TransactionPosition,
  TransactionRow,
  TransferReader,
} from './transfer-reader.ts';

/**
 * What tracing through a service asks of a chain. Like `TransferReader`: every method is one round of indexed ranges,
 * throws `ReadFailedError` when it cannot answer, and amounts are exact. Rows are hand-overs with an amount above 0.
 */
export type TraceReader = Pick<TransferReader, 'transactionHashes' | 'labels'> & {
  /** Every hand-over of some assets in the transactions at those positions: `limit` of them at most. */
  readonly transactionRows: (request: TransactionRowsRequest) => Promise<readonly TransactionRow[]>;
  /**
   * Every hand-over of one transaction, of any asset or of the `canonicalAssets`; null when no table holds any row of it, or none of those.
   * Without them what is no hand-over counts to the limit as well.
   */
  readonly transaction: (request: TransactionRequest) => Promise<TransactionRead | null>;
  /** Which of the addresses belong to a service, its deposit addresses included; the others are missing from the map. */
  readonly services: (
    request: ReadLimits & { chain: string; addresses: readonly Address[] },
  ) => Promise<ReadonlyMap<Address, Service>>;
  /** Every address of a service: `limit` of them at most, in order, and how many there are. */
  readonly serviceWallets: (
    request: ReadLimits & { chain: string; entity: string; limit: number },
  ) => Promise<{ readonly addresses: readonly Address[]; readonly total: number }>;
  /**
   * What a service got (`in`) or gave (`out`) of one asset, of amounts and times between bounds that are included: the largest
   * given and the smallest got first, of equal ones the earliest given and the latest got.
   */
  readonly serviceTransfers: (request: ServiceTransfersRequest) => Promise<readonly ServiceTransfer[]>;
  /** What one wallet got or gave of one asset between two times, bounds included, latest first. */
  readonly walletTransfers: (request: WalletTransfersRequest) => Promise<readonly WalletTransfer[]>;
  /**
   * On each of these sides, whom the wallet got any of the assets from (gave them to): earliest acquaintances first,
   * `perSideMax` of them a side. Of a wallet with more than a thousand transfers of one asset and direction some may be left
   * out, and are then not counted; of one that is asked about alone, for more than a hundred, `ROWS_PER_ACQUAINTANCE` transfers for each of them are
   * read a side.
   */
  readonly neighbours: (request: NeighboursRequest) => Promise<readonly Neighbour[]>;
  /**
   * For each of these sides that has transfers, the size of its circle: the number of counterparties without dust,
   * those of `among` that are in it, and the time of its first transfer, dust included. A circle larger than
   * `othersMax` is not looked at further.
   */
  readonly circles: (request: CirclesRequest) => Promise<readonly Circle[]>;
  /** Of these sides those of which `neighbours` and `circles`, asked about many at once, do not read every transfer. */
  readonly partlyRead: (request: PartlyReadRequest) => Promise<readonly WalletSide[]>;
  /** Each transfer that the wallets got from (gave to) any of the counterparties, `limit` of them at most. */
  readonly transfersBetween: (request: TransfersBetweenRequest) => Promise<readonly TransferBetween[]>;
  /** The indexed span of a chain; null where nothing is indexed. */
  readonly indexedSpan: (request: ReadLimits & { chain: string }) => Promise<IndexedSpan | null>;
  /** Whether a block is missing next to or between those of two times, as far as the chain is indexed. */
  readonly hasGaps: (request: ReadLimits & TimeRange & { chain: string }) => Promise<boolean>;
};

export type TransactionRowsRequest = TransactionHashesRequest & {
  readonly canonicalAssets: readonly CanonicalAsset[];
  readonly limit: number;
};

export type TransactionRequest = ReadLimits & {
  readonly chain: string;
  readonly signature: string;
  readonly canonicalAssets?: readonly CanonicalAsset[];
  readonly limit: number;
};

/** `isComplete` is false where the limit may have left rows out. */
export type TransactionRead = { readonly rows: readonly TransactionRow[]; readonly isComplete: boolean };

export type Direction = 'in' | 'out';

export const opposite = (direction: Direction): Direction => (direction === 'in' ? 'out' : 'in');

/** What a wallet got, or what it gave. */
export type WalletSide = { readonly wallet: Address; readonly direction: Direction };

export const bothSides = (wallets: readonly Address[]): WalletSide[] =>
  wallets.flatMap((wallet) => [
    { wallet, direction: 'in' },
    { wallet, direction: 'out' },
  ]);

/** `kind` is a label kind: only `mixer` and `exchange` can be traced through. */
export type Service = { readonly entity: string; readonly kind: string };

export type WalletTransfer = TransactionPosition & {
  readonly counterparty: Address;
  readonly amountRaw: bigint;
};

/** `wallet` is the service's side, `counterparty` the other. */
export type ServiceTransfer = WalletTransfer & { readonly wallet: Address };

export type TimeRange = { readonly fromUnixSeconds: number; readonly toUnixSeconds: number };
/** From the first to the newest block that is indexed, and since when none is missing. */
export type IndexedSpan = TimeRange & {
  readonly contiguousSinceUnixSeconds: number;
  readonly toBlock: number;
};
export type AmountRange = { readonly minRaw: bigint; readonly maxRaw: bigint };

export type ServiceTransfersRequest = ReadLimits &
  TimeRange &
  AmountRange & {
    readonly chain: string;
    readonly entity: string;
    readonly direction: Direction;
    readonly canonicalAsset: CanonicalAsset;
    readonly limit: number;
  };

export type WalletTransfersRequest = ReadLimits &
  TimeRange & {
    readonly chain: string;
    readonly wallet: Address;
    readonly direction: Direction;
    readonly canonicalAsset: CanonicalAsset;
    readonly limit: number;
  };

/** A busy wallet's first transfers name the same acquaintances all over again. */
export const ROWS_PER_ACQUAINTANCE = 10;

export type NeighboursRequest = ReadLimits & {
  readonly chain: string;
  /** No side twice. */
  readonly sides: readonly WalletSide[];
  readonly canonicalAssets: readonly CanonicalAsset[];
  /** The smallest transfers that count, for each of the assets. */
  readonly leastRaw: readonly bigint[];
  readonly perSideMax: number;
};

export type CirclesRequest = ReadLimits & {
  readonly chain: string;
  /** No side twice. */
  readonly sides: readonly WalletSide[];
  readonly canonicalAssets: readonly CanonicalAsset[];
  /** The smallest transfers that count, for each of the assets. */
  readonly leastRaw: readonly bigint[];
  readonly among: readonly Address[];
  /** 100 at most. */
  readonly othersMax: number;
};

export type PartlyReadRequest = Pick<
  CirclesRequest,
  keyof ReadLimits | 'chain' | 'sides' | 'canonicalAssets'
>;

export type TransfersBetweenRequest = ReadLimits & {
  readonly chain: string;
  readonly wallets: readonly Address[];
  readonly counterparties: readonly Address[];
  readonly direction: Direction;
  readonly canonicalAssets: readonly CanonicalAsset[];
  /** The smallest transfers that count, for each of the assets. */
  readonly leastRaw: readonly bigint[];
  readonly limit: number;
};

export type TransferBetween = TransactionPosition & { readonly wallet: Address };

export type Circle = WalletSide & {
  /** One more than `othersMax` where there are more. */
  readonly others: number;
  readonly firstUnixSeconds: number;
  /** The first transfer with each that is no dust, in the order of the chain. */
  readonly met: readonly Meeting[];
};

export type Meeting = { readonly counterparty: Address; readonly first: TransactionPosition };

/** Seen from `wallet`: `in` means that the counterparty paid it. */
export type Neighbour = {
  readonly wallet: Address;
  readonly direction: Direction;
  readonly counterparty: Address;
  readonly transfers: number;
  readonly first: TransactionPosition;
};
