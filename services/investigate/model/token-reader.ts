import type { Address } from './address.ts';
import type { Asset, CanonicalAsset } from './asset.ts';
import type { PlacedMovement } from './case-reader.ts';
import type { ReadLimits, TransactionPosition } from './transfer-reader.ts';

/**
 * The queries about a token. Every method is one round of indexed queries and throws like the transfer
 * reader.
 */
export type TokenReader = {
  /** The first transaction that named the token; null when there is none. Derived from settled blocks. */
  readonly firstSeen: (request: TokenRequest) => Promise<TransactionPosition | null>;
  /** The token's own rows from a block number until a time (unix seconds), earliest first. */
  readonly tokenMovements: (
    request: TokenRequest & {
      readonly fromBlock: number;
      readonly toUnixSeconds: number;
      readonly limit: number;
    },
  ) => Promise<readonly PlacedMovement[]>;
  /** The current holders, computed from the token's rows since a block, the largest first. */
  readonly holders: (
    request: TokenRequest & { readonly fromBlock: number; readonly limit: number },
  ) => Promise<Holders>;
  /** The balance of each of these wallets, computed from rows. Wallets without rows are missing. */
  readonly balances: (
    request: TokenRequest & { readonly wallets: readonly Address[] },
  ) => Promise<ReadonlyMap<Address, bigint>>;
  /** What these wallets swapped the token for, earliest first. */
  readonly trades: (
    request: TokenRequest & { readonly wallets: readonly Address[]; readonly limit: number },
  ) => Promise<readonly Trade[]>;
};

export type TokenRequest = ReadLimits & { readonly chain: string; readonly token: Asset };

export type Holders = {
  /** Issued minus burnt. */
  readonly supplyRaw: bigint;
  readonly holders: number;
  readonly top: readonly { readonly address: Address; readonly amountRaw: bigint }[];
};

export type Trade = TransactionPosition & {
  readonly wallet: Address;
  readonly isBuy: boolean;
  readonly tokenRaw: bigint;
  readonly otherAsset: CanonicalAsset;
  readonly otherRaw: bigint;
};
