import type { Address } from './address.ts';
import type { Asset, CanonicalAsset } from './asset.ts';
import type { PlacedMovement } from './case-reader.ts';
import type { Query } from './query.ts';
import type { OnChain, TransactionPosition, TransferReader } from './transfer-reader.ts';

/**
 * The queries about a token. Every method is one round of indexed queries and throws like the transfer
 * reader.
 */
export type TokenReader = Pick<TransferReader, 'balance'> & {
  /** The first transaction that named each token; null when there is none. Derived from settled blocks. */
  readonly firstSeen: Query<OnChain, Asset, TransactionPosition | null>;
  /** Each token's own rows from a block number until a time (unix seconds), earliest first. */
  readonly tokenMovements: Query<
    OnChain & { readonly limit: number },
    TokenSince & { readonly toUnixSeconds: number },
    readonly PlacedMovement[]
  >;
  /** The current holders, computed from each token's rows since a block, the `limit` largest first. */
  readonly holders: Query<OnChain & { readonly limit: number }, TokenSince, Holders>;
  /** What each wallet swapped the token for, earliest first, at most `limit` of each. */
  readonly trades: Query<
    OnChain & { readonly token: Asset; readonly limit: number },
    Address,
    readonly Trade[]
  >;
};

export type TokenSince = { readonly token: Asset; readonly fromBlock: number };

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
