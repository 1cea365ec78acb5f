import type { Address } from './address.ts';
import type { CanonicalAsset } from './asset.ts';
import type { CaseReader } from './case-reader.ts';
import type { AssertedLabel } from './label.ts';
import type { MovementKind } from './movement.ts';
import type { Direction, TraceReader } from './trace-reader.ts';
import type { ReadLimits, TransactionPosition, TransferReader, WalletRequest } from './transfer-reader.ts';

/**
 * The queries of a profile. As with `TransferReader`, every method is one round of indexed ranges, throws
 * `ReadFailedError` when it cannot answer, and amounts are exact.
 */
export type ProfileReader = Pick<TransferReader, 'contiguousRange' | 'wholeTransactions'> &
  Pick<TraceReader, 'transactionHashes' | 'labels' | 'services' | 'neighbours'> &
  Pick<CaseReader, 'imitated'> & {
    /** Number of distinct transactions that name the wallet, at most `limit`. */
    readonly transactionCount: (request: WalletRequest & { limit: number }) => Promise<number>;
    /** Counts and sums of all rows of the wallet; null when no row names it. */
    readonly summary: (request: WalletRequest) => Promise<WalletSummary | null>;
    /** The wallet's rows of every kind, newest first, at most `limit`. */
    readonly entries: (request: WalletRequest & { limit: number }) => Promise<readonly Entry[]>;
    /** The first payment of the coin to the wallet; null when none is known. */
    readonly firstFunding: (request: WalletRequest) => Promise<Funding | null>;
    /** The first row that names each address. Addresses without rows are missing. */
    readonly firstSeen: (
      request: Omit<WalletRequest, 'wallet'> & { wallets: readonly Address[] },
    ) => Promise<ReadonlyMap<Address, TransactionPosition>>;
    /** All labels of the address, from every source; `chain` is where each was said. */
    readonly labelsSaid: (request: WalletRequest) => Promise<readonly SaidLabel[]>;
    /**
     * The inflows and outflows of some assets for many wallets. When a wallet has more than a thousand
     * transfers of one asset and direction, not all are read and `isComplete` is false.
     */
    readonly flowsAround: (request: FlowsAroundRequest) => Promise<readonly WalletFlows[]>;
    /** The newest indexed block; null when there is none. */
    readonly indexedHead: (request: Omit<WalletRequest, 'wallet'>) => Promise<number | null>;
  };

/** A movement, as seen from the wallet. */
export type Entry = TransactionPosition & {
  readonly direction: Direction;
  readonly canonicalAsset: CanonicalAsset;
  /** Position in the transaction. */
  readonly index: number;
  /** null when the chain has no owner on that side. */
  readonly counterparty: Address | null;
  readonly amountRaw: bigint;
  readonly kind: MovementKind;
  /** Whether the wallet paid the transaction's fee. */
  readonly isSender: boolean;
  /** Whether the wallet swapped in the transaction. */
  readonly isSwap: boolean;
};

export type FlowsAroundRequest = ReadLimits & {
  readonly chain: string;
  readonly wallets: readonly Address[];
  readonly canonicalAssets: readonly CanonicalAsset[];
};

/** The flows of each wallet, oldest first. A wallet without any is missing. */
export type WalletFlows = {
  readonly wallet: Address;
  readonly flows: readonly PartyFlow[];
  readonly isComplete: boolean;
  /** Whether it paid the fee of any of these transactions. */
  readonly signs: boolean;
};

/** A transfer above 0, as seen from the wallet. */
export type PartyFlow = Pick<
  Entry,
  keyof TransactionPosition | 'direction' | 'canonicalAsset' | 'index' | 'amountRaw' | 'isSwap'
> & { readonly counterparty: Address };

/** The maximum read for each asset and direction when many wallets are read together. */
export const FLOWS_EACH_MAX = 1_000;

/** `transfers` counts transfers above 0. The sum includes every kind of movement and fees. */
type SideSummary = { readonly transfers: number; readonly sumRaw: bigint };

export type AssetSummary = {
  readonly canonicalAsset: CanonicalAsset;
  readonly in: SideSummary;
  readonly out: SideSummary;
};

/** Times are unix seconds. */
export type WalletSummary = {
  readonly transactions: number;
  readonly counterparties: number;
  readonly rows: number;
  readonly firstUnixSeconds: number;
  readonly lastUnixSeconds: number;
  /** The most used first, at most `SUMMARY_FAMILIES_MAX`. */
  readonly canonicalAssets: readonly AssetSummary[];
};

/** Anybody can send a wallet thousands of worthless tokens. */
export const SUMMARY_FAMILIES_MAX = 1_000;

export type Funding = TransactionPosition & { readonly funder: Address; readonly amountRaw: bigint };

export type SaidLabel = Omit<AssertedLabel, 'address'>;
