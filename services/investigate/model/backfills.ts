/** A wallet's history as last read from the chain's nodes. */
export type Backfill = {
  readonly readAtUnixSeconds: number;
  /** `coin`: tokens are complete, the chain's own coin is not. */
  readonly missing: 'nothing' | 'coin' | 'more';
};

/**
 * Wallets that were backfilled on demand, beside the indexed blocks, at one moment. Rows read afterwards
 * contain all of their history.
 */
export type Backfills = {
  /** Whether the chain's nodes can be asked. */
  readonly canBackfill: (chain: string) => boolean;
  /** null: never read, or long enough ago to try again. */
  readonly lastBackfill: (chain: string, wallet: string) => Backfill | null;
};

export const NO_BACKFILLS: Backfills = { canBackfill: () => false, lastBackfill: () => null };
