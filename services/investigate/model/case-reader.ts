import type { Address } from './address.ts';
import type { CanonicalAsset } from './asset.ts';
import type { MovementKind } from './movement.ts';
import type { TimeRange } from './trace-reader.ts';
import type { ReadLimits, TransactionPosition, WalletRequest } from './transfer-reader.ts';

/**
 * What is asked about a wallet that is suspected of taking what belongs to others. Every method is one round of indexed
 * queries, and throws as the transfer reader does. Amounts are exact.
 */
export type CaseReader = {
  /** Transactions that handed the wallet something, earliest first. */
  readonly receipts: (request: WalletTimeRequest) => Promise<readonly TransactionPosition[]>;
  /** Transactions whose fee the wallet paid: it signed them. Earliest first. */
  readonly signed: (request: WalletTimeRequest) => Promise<readonly TransactionPosition[]>;
  /** Every row of the transactions at those positions, in the chain's order; `limit` of them at most. */
  readonly movementsAt: (
    request: ReadLimits & {
      readonly chain: string;
      readonly positions: readonly TransactionPosition[];
      readonly limit: number;
    },
  ) => Promise<readonly PlacedMovement[]>;
  /** What the wallet handed to any of those, earliest first, `limit` of them at most. */
  readonly payments: (
    request: WalletRequest & { readonly to: readonly Address[]; readonly limit: number },
  ) => Promise<readonly Payment[]>;
  /** Of those that dealt with a look-alike and with the address it imitates: which address that is. */
  readonly imitated: (
    request: ReadLimits & {
      readonly chain: string;
      readonly lookalike: Address;
      readonly among: readonly Address[];
    },
  ) => Promise<ReadonlyMap<Address, Address>>;
  /** Of these holdings those that the holder itself moved or got, in a transaction that it sent. */
  readonly handled: (
    request: ReadLimits & { readonly chain: string; readonly holdings: readonly Holding[] },
  ) => Promise<readonly Holding[]>;
  /** Transactions of others that took something of these holdings since a time, earliest first. */
  readonly takenFrom: (
    request: ReadLimits & {
      readonly chain: string;
      readonly holdings: readonly Holding[];
      readonly sinceUnixSeconds: number;
      readonly limit: number;
    },
  ) => Promise<readonly TransactionPosition[]>;
  /** When each wallet was first handed anything; those that never were are missing. */
  readonly firstReceipts: (
    request: ReadLimits & { readonly chain: string; readonly wallets: readonly Address[] },
  ) => Promise<ReadonlyMap<Address, TransactionPosition>>;
};

export type WalletTimeRequest = WalletRequest & TimeRange & { readonly limit: number };

export type PlacedMovement = TransactionPosition & {
  readonly hash: string;
  /** Of the transaction. */
  readonly sender: Address;
  readonly kind: MovementKind;
  /** null where the chain has no owner on that side. */
  readonly from: Address | null;
  readonly to: Address | null;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  /** Who signed for it where that is not `from`. */
  readonly authority: Address | null;
};

export type Payment = TransactionPosition & {
  readonly to: Address;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
};

export type Holding = { readonly wallet: Address; readonly canonicalAsset: CanonicalAsset };
