import type { ListedWindow } from './history.ts';

/** A wallet's history as last read from the chain's nodes. */
export type Backfill = {
  readonly readAtUnixSeconds: number;
  /** `coin`: tokens are complete, the chain's own coin is not. */
  readonly missing: 'nothing' | 'coin' | 'more';
};

/** How the newest reading of an address ended, of its whole history or a part. */
export type LastReading = {
  /** Of no other reading in this process: two may end in one second. */
  readonly number: number;
  readonly readAtUnixSeconds: number;
  /** `complete`, or what is missing: `older_left_out` where the limit cut it, `node_failed`, and so on. */
  readonly coverage: string;
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
  /** Windows of an address that were read, in the order of reading. Absent: only whole histories are known. */
  readonly windows?: (chain: string, address: string) => readonly ListedWindow[];
  /** null: never, or long ago. It changes whenever a reading ends. */
  readonly lastReading?: (chain: string, address: string) => LastReading | null;
};

export const NO_BACKFILLS: Backfills = { canBackfill: () => false, lastBackfill: () => null };
