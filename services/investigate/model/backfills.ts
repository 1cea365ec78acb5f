/** A wallet's history as its chain's nodes last told it. */
export type Backfill = {
  readonly readAtUnixSeconds: number;
  /** `coin`: tokens are complete, the chain's own coin is not. */
  readonly missing: 'nothing' | 'coin' | 'more';
};

/**
 * Wallets whose backfills were read on demand, beside the indexed blocks, as known at one moment. Rows that are read afterwards
 * contain all of them.
 */
export type Backfills = {
  /** Whether the chain's nodes can be asked. */
  readonly canBackfill: (chain: string) => boolean;
  /** null: never read, or so long ago that it is worth another try. */
  readonly lastBackfill: (chain: string, wallet: string) => Backfill | null;
};

export const NO_BACKFILLS: Backfills = { canBackfill: () => false, lastBackfill: () => null };
