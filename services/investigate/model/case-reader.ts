import type { Address } from './address.ts';
import type { CanonicalAsset } from './asset.ts';
import type { MovementKind } from './movement.ts';
import type { TimeRange } from './trace-reader.ts';
import type { ReadLimits, TransactionPosition, WalletRequest } from './transfer-reader.ts';

/**
 * Queries about a wallet that is suspected of theft. Every method is one round of indexed queries and throws
 * like the transfer reader. Amounts are exact.
 */
export type CaseReader = {
  /** Transactions in which the wallet received something, earliest first. */
  readonly receipts: (request: WalletTimeRequest) => Promise<readonly TransactionPosition[]>;
  /** Transactions whose fee the wallet paid, so it signed them. Earliest first. */
  readonly signed: (request: WalletTimeRequest) => Promise<readonly TransactionPosition[]>;
  /** Every row of the transactions at those positions, in chain order, at most `limit`. */
  readonly movementsAt: (
    request: ReadLimits & {
      readonly chain: string;
      readonly positions: readonly TransactionPosition[];
      readonly limit: number;
    },
  ) => Promise<readonly PlacedMovement[]>;
  /** What the wallet paid to any of these, earliest first, at most `limit`. */
  readonly payments: (
    request: WalletRequest & { readonly to: readonly Address[]; readonly limit: number },
  ) => Promise<readonly Payment[]>;
  /** For wallets that dealt with a look-alike and with the imitated address: the imitated address. */
  readonly imitated: (
    request: ReadLimits & {
      readonly chain: string;
      readonly lookalike: Address;
      readonly among: readonly Address[];
    },
  ) => Promise<ReadonlyMap<Address, Address>>;
  /** The holdings that the holder itself moved or received in a transaction that it sent. */
  readonly handled: (
    request: ReadLimits & { readonly chain: string; readonly holdings: readonly Holding[] },
  ) => Promise<readonly Holding[]>;
  /** Transactions of others that took something from these holdings since a time, earliest first. */
  readonly takenFrom: (
    request: ReadLimits & {
      readonly chain: string;
      readonly holdings: readonly Holding[];
      readonly sinceUnixSeconds: number;
      readonly limit: number;
    },
  ) => Promise<readonly TransactionPosition[]>;
  /** When each wallet first received anything. Wallets that never did are missing. */
  readonly firstReceipts: (
    request: ReadLimits & { readonly chain: string; readonly wallets: readonly Address[] },
  ) => Promise<ReadonlyMap<Address, TransactionPosition>>;
};

export type WalletTimeRequest = WalletRequest & TimeRange & { readonly limit: number };

export type PlacedMovement = TransactionPosition & {
  readonly hash: string;
  /** Hash of the transaction. */
  readonly sender: Address;
  readonly kind: MovementKind;
  /** null where the chain has no owner on that side. */
  readonly from: Address | null;
  readonly to: Address | null;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  /** Who signed for the movement when that is not `from`. */
  readonly authority: Address | null;
};

export type Payment = TransactionPosition & {
  readonly to: Address;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
};

export type Holding = { readonly wallet: Address; readonly canonicalAsset: CanonicalAsset };
