/**
 * The types for movements of value that every module shares. Amounts are exact: raw integer units of the
 * asset, as bigint.
 */

/** The chain's own coin: lamports on Solana (wrapped SOL included), wei on an EVM chain. */
export const NATIVE = 'native';

/**
 * Why value moved. The position in this list is the number stored in events and tables: append, never reorder.
 *
 * - `transfer`: a party moved its own (or, with `authority`, somebody else's) value to another party
 * - `program`: lamports that a program moved without an instruction of their own, paired by balance difference
 * - `fee`, `rent`, `reward`: kept apart from transfers; never hops
 * - `mint`, `burn`: issued (no sender) or destroyed (no recipient)
 * - `withdrawal`: the beacon chain paying out a validator
 * - `owner_change`: a token account with its balance was assigned to another owner
 * - `wrap`, `unwrap`: the wrapped-native contract's own bookkeeping beside the coin's row
 */
export const MOVEMENT_KINDS = [
  'transfer',
  'program',
  'fee',
  'rent',
  'reward',
  'mint',
  'burn',
  'withdrawal',
  'owner_change',
  'wrap',
  'unwrap',
] as const;

export type MovementKind = (typeof MOVEMENT_KINDS)[number];

export type Movement = {
  /** Position of the transaction in its block; null for rows of the block itself (rewards, withdrawals). */
  readonly txIndex: number | null;
  /** Position of the row within its transaction, or among the rows of the block itself. From 0, without gaps. */
  readonly index: number;
  readonly kind: MovementKind;
  /**
   * null only when the chain has no owner on that side (mint, burn, reward, withdrawal, burnt fee, locked
   * rent).
   */
  readonly from: string | null;
  readonly to: string | null;
  /** `native`, or the mint or contract address. */
  readonly asset: string;
  readonly amountRaw: bigint;
  /** Who signed for the movement when that is not `from`: a delegate, a spender, a contract. */
  readonly authority: string | null;
};

/** One owner gave one asset and received another within one transaction. */
export type Swap = {
  readonly txIndex: number;
  /** Position among the swaps of its transaction, from 0. */
  readonly index: number;
  readonly owner: string;
  readonly gaveAsset: string;
  readonly gaveRaw: bigint;
  readonly gotAsset: string;
  readonly gotRaw: bigint;
  /** The party that supplied most of what was received: a pool or a router. null when it was issued. */
  readonly through: string | null;
};
