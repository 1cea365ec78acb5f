import type { Address } from './address.ts';
import type { CanonicalAsset } from './asset.ts';
import type { Query } from './query.ts';
import type { OnChain, TransactionPosition, TransactionRow, TransferReader } from './transfer-reader.ts';

/** The queries for tracing through a service. Rows are transfers with an amount above 0; amounts are exact. */
export type TraceReader = Pick<TransferReader, 'transactionHashes' | 'labels'> & {
  /**
   * Every transfer of some assets in the transaction at each position. null: not known, because the list has more than `limit` rows,
   * which come in chain order.
   */
  readonly transactionRows: Query<
    OnChain & { readonly canonicalAssets: readonly CanonicalAsset[]; readonly limit: number },
    TransactionPosition,
    readonly TransactionRow[] | null
  >;
  /**
   * Every transfer of each transaction, at most `limit`, of any asset or only of the `canonicalAssets`; null when the tables hold none.
   * Without `canonicalAssets`, rows that are not transfers count towards the limit, too.
   */
  readonly transaction: Query<
    OnChain & { readonly canonicalAssets?: readonly CanonicalAsset[]; readonly limit: number },
    string,
    TransactionRead | null
  >;
  /** The service that each address belongs to, as one of its wallets or as a deposit address; null: none. */
  readonly services: Query<OnChain, Address, Service | null>;
  /** The addresses of each service, at most `limit`, in order, and their total number. */
  readonly serviceWallets: Query<OnChain & { readonly limit: number }, string, ServiceWallets>;
  /**
   * What a service received (`in`) or paid (`out`) of one asset, within inclusive bounds of amount and time, at most `limit` for each.
   * Payments come largest first and receipts smallest first; of equal amounts the earliest payment and the latest receipt come first.
   */
  readonly serviceTransfers: Query<ServiceSide, AmountRange & TimeRange, readonly ServiceTransfer[]>;
  /** What each wallet received or paid of one asset between two times, bounds included, latest first, at most `limit`. */
  readonly walletTransfers: Query<
    OnChain & {
      readonly direction: Direction;
      readonly canonicalAsset: CanonicalAsset;
      readonly limit: number;
    },
    WalletTimes,
    readonly WalletTransfer[]
  >;
  /**
   * The counterparties that each side received any of the assets from (or paid), earliest first, at most `perSideMax`. With more than a
   * thousand transfers of one asset some may be missing and are not counted.
   */
  readonly neighbours: Query<NeighboursOf, WalletSide, readonly Neighbour[]>;
  /**
   * For each side with transfers: the number of counterparties without dust, those of `among` in it, and the time of its first transfer,
   * dust included. A side with more than `othersMax` counterparties is not counted further.
   */
  readonly counterpartyCounts: Query<
    Valued & {
      /** At most 100. */
      readonly othersMax: number;
    },
    CountedSide,
    CounterpartyCount | null
  >;
  /** Whether `neighbours`, unless from the beginning, and `counterpartyCounts` do not read every transfer of a side. */
  readonly partlyRead: Query<
    OnChain & { readonly canonicalAssets: readonly CanonicalAsset[] },
    WalletSide,
    boolean
  >;
  /** The earliest transfers that each wallet received from (or paid to) any of the counterparties, at most `limit`. */
  readonly transfersBetween: Query<
    Valued & {
      readonly counterparties: readonly Address[];
      readonly direction: Direction;
      readonly limit: number;
    },
    Address,
    readonly TransactionPosition[]
  >;
  /** The indexed span of each chain; null when nothing is indexed. */
  readonly indexedSpan: Query<object, string, IndexedSpan | null>;
  /** Whether a block is missing between, or next to, the blocks of two times, within the indexed span. */
  readonly hasGaps: Query<OnChain, TimeRange, boolean>;
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

/** To count sides without looking for anybody in particular. */
export const NOBODY: readonly Address[] = [];

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

export type ServiceWallets = { readonly addresses: readonly Address[]; readonly total: number };

export type ServiceSide = OnChain & {
  readonly entity: string;
  readonly direction: Direction;
  readonly canonicalAsset: CanonicalAsset;
  readonly limit: number;
};

export type WalletTimes = TimeRange & { readonly wallet: Address };

/** Allows for busy wallets, whose first transfers are often with the same few counterparties. */
export const ROWS_PER_COUNTERPARTY = 10;

type Valued = OnChain & {
  readonly canonicalAssets: readonly CanonicalAsset[];
  /** The smallest amount that counts, for each of the assets. */
  readonly leastRaw: readonly bigint[];
};

export type NeighboursOf = Valued & {
  readonly perSideMax: number;
  /** Reads a side from its beginning, `ROWS_PER_COUNTERPARTY` transfers for each counterparty, rather than the ends of its ranges. */
  readonly fromBeginning?: boolean;
};

export type CountedSide = WalletSide & { readonly among: readonly Address[] };

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
