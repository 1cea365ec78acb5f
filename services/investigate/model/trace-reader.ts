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
 * The queries for tracing through a service. As with `TransferReader`, every method is one round of indexed
 * ranges, throws `ReadFailedError` when it cannot answer, and amounts are exact. Rows are transfers with an
 * amount above 0.
 */
export type TraceReader = Pick<TransferReader, 'transactionHashes' | 'labels'> & {
  /** Every transfer of some assets in the transactions at those positions, at most `limit`. */
  readonly transactionRows: (request: TransactionRowsRequest) => Promise<readonly TransactionRow[]>;
  /**
   * Every transfer of one transaction, of any asset or only of the `canonicalAssets`; null when the tables
   * hold none. Without `canonicalAssets`, rows that are not transfers count towards the limit, too.
   */
  readonly transaction: (request: TransactionRequest) => Promise<TransactionRead | null>;
  /**
   * Which of the addresses belong to a service, including its deposit addresses. Others are missing from the
   * map.
   */
  readonly services: (
    request: ReadLimits & { chain: string; addresses: readonly Address[] },
  ) => Promise<ReadonlyMap<Address, Service>>;
  /** The addresses of a service, at most `limit`, in order, and their total number. */
  readonly serviceWallets: (
    request: ReadLimits & { chain: string; entity: string; limit: number },
  ) => Promise<{ readonly addresses: readonly Address[]; readonly total: number }>;
  /**
   * What a service received (`in`) or paid (`out`) of one asset, within inclusive bounds of amount and time.
   * Payments come largest first and receipts smallest first; of equal amounts the earliest payment and the
   * latest receipt come first.
   */
  readonly serviceTransfers: (request: ServiceTransfersRequest) => Promise<readonly ServiceTransfer[]>;
  /** What one wallet received or paid of one asset between two times, bounds included, latest first. */
  readonly walletTransfers: (request: WalletTransfersRequest) => Promise<readonly WalletTransfer[]>;
  /**
   * For each side, the counterparties that the wallet received any of the assets from (or paid), earliest
   * first, at most `perSideMax` a side. With more than a thousand transfers of one asset and direction some
   * counterparties may be missing and are not counted. A wallet that is asked about alone, with a limit above
   * a hundred, gets `ROWS_PER_COUNTERPARTY` transfers read for each counterparty and side.
   */
  readonly neighbours: (request: NeighboursRequest) => Promise<readonly Neighbour[]>;
  /**
   * For each side with transfers: the number of counterparties without dust, those of `among` in it, and the
   * time of its first transfer, dust included. A side with more than `othersMax` counterparties is not
   * counted further.
   */
  readonly counterpartyCounts: (request: CounterpartyCountsRequest) => Promise<readonly CounterpartyCount[]>;
  /**
   * The sides for which `neighbours` and `counterpartyCounts`, asked for many wallets at once, do not read every
   * transfer.
   */
  readonly partlyRead: (request: PartlyReadRequest) => Promise<readonly WalletSide[]>;
  /**
   * Every transfer that the wallets received from (or paid to) any of the counterparties, at most `limit`.
   */
  readonly transfersBetween: (request: TransfersBetweenRequest) => Promise<readonly TransferBetween[]>;
  /** The indexed span of a chain; null when nothing is indexed. */
  readonly indexedSpan: (request: ReadLimits & { chain: string }) => Promise<IndexedSpan | null>;
  /** Whether a block is missing between, or next to, the blocks of two times, within the indexed span. */
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

/** False when the limit may have cut off rows. */
export type TransactionRead = { readonly rows: readonly TransactionRow[]; readonly isComplete: boolean };

export type Direction = 'in' | 'out';

export const opposite = (direction: Direction): Direction => (direction === 'in' ? 'out' : 'in');

/** The receiving or the paying side of a wallet. */
export type WalletSide = { readonly wallet: Address; readonly direction: Direction };

export const bothSides = (wallets: readonly Address[]): WalletSide[] =>
  wallets.flatMap((wallet) => [
    { wallet, direction: 'in' },
    { wallet, direction: 'out' },
  ]);

/** `kind` is a label kind. Only `mixer` and `exchange` can be traced through. */
export type Service = { readonly entity: string; readonly kind: string };

export type WalletTransfer = TransactionPosition & {
  readonly counterparty: Address;
  readonly amountRaw: bigint;
};

/** `wallet` is the service's side, `counterparty` the other. */
export type ServiceTransfer = WalletTransfer & { readonly wallet: Address };

export type TimeRange = { readonly fromUnixSeconds: number; readonly toUnixSeconds: number };
/** From the first to the newest indexed block, and the time since which no block is missing. */
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

/** Allows for busy wallets, whose first transfers are often with the same few counterparties. */
export const ROWS_PER_COUNTERPARTY = 10;

export type NeighboursRequest = ReadLimits & {
  readonly chain: string;
  /** No side twice. */
  readonly sides: readonly WalletSide[];
  readonly canonicalAssets: readonly CanonicalAsset[];
  /** The smallest amount that counts, for each of the assets. */
  readonly leastRaw: readonly bigint[];
  readonly perSideMax: number;
};

export type CounterpartyCountsRequest = ReadLimits & {
  readonly chain: string;
  /** No side twice. */
  readonly sides: readonly WalletSide[];
  readonly canonicalAssets: readonly CanonicalAsset[];
  /** The smallest amount that counts, for each of the assets. */
  readonly leastRaw: readonly bigint[];
  readonly among: readonly Address[];
  /** At most 100. */
  readonly othersMax: number;
};

export type PartlyReadRequest = Pick<
  CounterpartyCountsRequest,
  keyof ReadLimits | 'chain' | 'sides' | 'canonicalAssets'
>;

export type TransfersBetweenRequest = ReadLimits & {
  readonly chain: string;
  readonly wallets: readonly Address[];
  readonly counterparties: readonly Address[];
  readonly direction: Direction;
  readonly canonicalAssets: readonly CanonicalAsset[];
  /** The smallest amount that counts, for each of the assets. */
  readonly leastRaw: readonly bigint[];
  readonly limit: number;
};

export type TransferBetween = TransactionPosition & { readonly wallet: Address };

export type CounterpartyCount = WalletSide & {
  /** `othersMax` + 1 when there are more. */
  readonly others: number;
  readonly firstUnixSeconds: number;
  /** The first transfer with each that is not dust, in chain order. */
  readonly met: readonly Meeting[];
};

export type Meeting = { readonly counterparty: Address; readonly first: TransactionPosition };

/** As seen from `wallet`: `in` means that the counterparty paid it. */
export type Neighbour = {
  readonly wallet: Address;
  readonly direction: Direction;
  readonly counterparty: Address;
  readonly transfers: number;
  readonly first: TransactionPosition;
};
