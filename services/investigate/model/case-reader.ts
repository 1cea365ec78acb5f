import type { Address } from './address.ts';
import type { CanonicalAsset } from './asset.ts';
import type { MovementKind } from './movement.ts';
import type { Query } from './query.ts';
import type { TimeRange } from './trace-reader.ts';
import type { OnChain, TransactionPosition } from './transfer-reader.ts';

/**
 * Queries about a wallet that is suspected of theft. Every method is one round of indexed queries and throws
 * like the transfer reader. Amounts are exact.
 */
export type CaseReader = {
  /** Transactions in which each wallet received something, earliest first. */
  readonly receipts: Query<WithinTime, Address, readonly TransactionPosition[]>;
  /** Transactions whose fee each wallet paid, so it signed them. Earliest first. */
  readonly signed: Query<WithinTime, Address, readonly TransactionPosition[]>;
  /**
   * Every row of the transaction at each position, in chain order. null: what it holds is not known, because the list has more than
   * `limit` rows, which come in chain order.
   */
  readonly movementsAt: Query<Limited, TransactionPosition, readonly PlacedMovement[] | null>;
  /** What the wallet paid to each of these, earliest first, at most `limit` to each. */
  readonly payments: Query<Limited & { readonly wallet: Address }, Address, readonly Payment[]>;
  /** For wallets that dealt with a look-alike and with the imitated address: the imitated address. null for others. */
  readonly imitated: Query<OnChain & { readonly lookalike: Address }, Address, Address | null>;
  /** Whether the holder itself moved or received the holding in a transaction that it sent. */
  readonly handled: Query<OnChain, Holding, boolean>;
  /** Transactions of others that took something from any of these holdings since a time, earliest first. */
  readonly takenFrom: Query<Limited, HoldingsSince, readonly TransactionPosition[]>;
  /** When each wallet first received anything; null where it never did. */
  readonly firstReceipts: Query<OnChain, Address, TransactionPosition | null>;
};

export type Limited = OnChain & { readonly limit: number };
export type WithinTime = Limited & TimeRange;
export type HoldingsSince = {
  readonly holdings: readonly Holding[];
  readonly sinceUnixSeconds: number;
};

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
