import type { Address } from './address.ts';
import type { CanonicalAsset } from './asset.ts';
import type { CaseReader } from './case-reader.ts';
import type { AssertedLabel } from './label.ts';
import type { MovementKind } from './movement.ts';
import type { Direction, TraceReader } from './trace-reader.ts';
import type { ReadLimits, TransactionPosition, TransferReader, WalletRequest } from './transfer-reader.ts';

/**
 * What a profile asks of a chain. Like `TransferReader`: every method is one round of indexed ranges, throws
 * `ReadFailedError` when it cannot answer, and amounts are exact.
 */
export type ProfileReader = Pick<TransferReader, 'contiguousRange' | 'wholeTransactions'> &
  Pick<TraceReader, 'transactionHashes' | 'labels' | 'services' | 'neighbours'> &
  Pick<CaseReader, 'imitated'> & {
    /** Distinct transactions that name the wallet; `limit` where there are as many or more. */
    readonly transactionCount: (request: WalletRequest & { limit: number }) => Promise<number>;
    /** Everything that the tables hold of the wallet, counted and summed; null where no row names it. */
    readonly summary: (request: WalletRequest) => Promise<WalletSummary | null>;
    /** The wallet's rows of every kind, newest first, `limit` of them at most. */
    readonly entries: (request: WalletRequest & { limit: number }) => Promise<readonly Entry[]>;
    /** The first payment of the coin to the wallet; null where none is known. */
    readonly firstFunding: (request: WalletRequest) => Promise<Funding | null>;
    /** Where the chain first names each address, as far as rows tell; those that no row names are missing. */
    readonly firstSeen: (
      request: Omit<WalletRequest, 'wallet'> & { wallets: readonly Address[] },
    ) => Promise<ReadonlyMap<Address, TransactionPosition>>;
    /** What every source says of the address and has not taken back. */
    readonly labelsSaid: (request: WalletRequest) => Promise<readonly SaidLabel[]>;
    /**
     * What each of the wallets got and gave of some assets, of however many wallets. Of a wallet with more than a thousand
     * transfers of one asset and direction not all are read, and it is not `isComplete`.
     */
    readonly flowsAround: (request: FlowsAroundRequest) => Promise<readonly WalletFlows[]>;
    /** The newest block that is indexed; null where there is none. */
    readonly indexedHead: (request: Omit<WalletRequest, 'wallet'>) => Promise<number | null>;
  };

/** A movement, seen from the wallet. */
export type Entry = TransactionPosition & {
  readonly direction: Direction;
  readonly canonicalAsset: CanonicalAsset;
  /** Position in the transaction. */
  readonly index: number;
  /** null where the chain has no owner on that side. */
  readonly counterparty: Address | null;
  readonly amountRaw: bigint;
  readonly kind: MovementKind;
  /** Whether the wallet itself pays the fee of the transaction. */
  readonly isSender: boolean;
  /** Whether the wallet swapped in the transaction. */
  readonly isSwap: boolean;
};

export type FlowsAroundRequest = ReadLimits & {
  readonly chain: string;
  readonly wallets: readonly Address[];
  readonly canonicalAssets: readonly CanonicalAsset[];
};

/** Those of a wallet, oldest first. A wallet without any is missing. */
export type WalletFlows = {
  readonly wallet: Address;
  readonly flows: readonly PartyFlow[];
  readonly isComplete: boolean;
  /** Whether it paid the fee of any of these transactions. */
  readonly signs: boolean;
};

/** A hand-over above 0, seen from the wallet. */
export type PartyFlow = Pick<
  Entry,
  keyof TransactionPosition | 'direction' | 'canonicalAsset' | 'index' | 'amountRaw' | 'isSwap'
> & { readonly counterparty: Address };

/** More of one asset and direction are not read of a wallet that is only one of many. */
export const FLOWS_EACH_MAX = 1_000;

/** `transfers` are hand-overs above 0; the sum is of every kind of movement, fees included. */
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
  /** The most used first, `SUMMARY_FAMILIES_MAX` of them at most. */
  readonly canonicalAssets: readonly AssetSummary[];
};

/** Anybody can send a wallet thousands of tokens that they made themselves. */
export const SUMMARY_FAMILIES_MAX = 1_000;

export type Funding = TransactionPosition & { readonly funder: Address; readonly amountRaw: bigint };

export type SaidLabel = Omit<AssertedLabel, 'chain' | 'address'>;
