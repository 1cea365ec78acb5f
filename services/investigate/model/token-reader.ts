import type { Address } from './address.ts';
import type { Asset, CanonicalAsset } from './asset.ts';
import type { PlacedMovement } from './case-reader.ts';
import type { ReadLimits, TransactionPosition } from './transfer-reader.ts';

/** What is asked about a token. Every method is one round of indexed queries, and throws as the transfer reader does. */
export type TokenReader = {
  /** The first transaction that named the token; null where none did. Derived from settled blocks. */
  readonly firstSeen: (request: TokenRequest) => Promise<TransactionPosition | null>;
  /** The token's own rows of blocks from a number and until a time (unix seconds), earliest first. */
  readonly tokenMovements: (
    request: TokenRequest & {
      readonly fromBlock: number;
      readonly toUnixSeconds: number;
      readonly limit: number;
    },
  ) => Promise<readonly PlacedMovement[]>;
  /** Who holds it now, as far as its rows from a block on tell: the largest first. */
  readonly holders: (
    request: TokenRequest & { readonly fromBlock: number; readonly limit: number },
  ) => Promise<Holders>;
  /** What each of these wallets holds of it, as far as rows tell; those that no row names are missing. */
  readonly balances: (
    request: TokenRequest & { readonly wallets: readonly Address[] },
  ) => Promise<ReadonlyMap<Address, bigint>>;
  /** What these wallets ever swapped the token for, earliest first. */
  readonly trades: (
    request: TokenRequest & { readonly wallets: readonly Address[]; readonly limit: number },
  ) => Promise<readonly Trade[]>;
};

export type TokenRequest = ReadLimits & { readonly chain: string; readonly token: Asset };

export type Holders = {
  /** Issued less destroyed. */
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
