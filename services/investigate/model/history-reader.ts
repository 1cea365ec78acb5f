import type { ListedWindow } from './history.ts';
import type { Query } from './query.ts';
import type { OnChain } from './transfer-reader.ts';

/** What of an address's history was read from its chain: what an answer tells of how it knows. */
export type HistoryReader = {
  /**
   * Windows of each address, the newest readings last. All rows that a window speaks of are in the tables when it is. At
   * most 1,000 of an address, the newest. Throws `ReadFailedError`.
   */
  readonly windows: Query<OnChain, string, readonly ListedWindow[]>;
};
