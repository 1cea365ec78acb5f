/**
 * What a list of an address's transactions can hold. `sent`: transactions it signed. `received`: coin from
 * transactions to it. `internal`: coin moved by calls of contracts. `emitted`: logs of a contract.
 */
export const HISTORY_KINDS = [
  'sent',
  'received',
  'internal',
  'tokens_out',
  'tokens_in',
  'emitted',
  'withdrawals',
  'rewards',
] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

/** All that changes a balance of the chain's own coin. */
export const COIN_KINDS: readonly HistoryKind[] = ['sent', 'received', 'internal', 'withdrawals', 'rewards'];
export const TOKEN_KINDS: readonly HistoryKind[] = ['tokens_out', 'tokens_in'];

export const HISTORY_SIDES = ['out', 'in', 'both', 'emitted'] as const;
export type HistorySide = (typeof HISTORY_SIDES)[number];

/**
 * Why a window is known. `proved`: nonces or balances leave no room for more. `listed`: by a source's word.
 * `partial`: something is known to be missing.
 */
export const HISTORY_PROOFS = ['proved', 'listed', 'partial'] as const;
export type HistoryProof = (typeof HISTORY_PROOFS)[number];

/** Blocks, or slots on Solana; both ends included. */
export type Window = { readonly first: number; readonly last: number };

/** A window of an address's history that was read from the chain, by kind. An empty one counts, too. */
export type ListedWindow = Window & {
  readonly chain: string;
  readonly address: string;
  readonly kinds: readonly HistoryKind[];
  /** Only transfers of this asset; null: of all. */
  readonly asset: string | null;
  /** When the last block was made; null if nobody asked. */
  readonly lastUnixSeconds: number | null;
  readonly source: string;
  readonly proof: HistoryProof;
  /** Why it is partial; null if it is not. */
  readonly reason: string | null;
  readonly transactions: number;
  readonly readAtUnixSeconds: number;
};
