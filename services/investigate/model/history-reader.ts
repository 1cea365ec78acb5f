import type { ListedWindow } from './history.ts';
import type { ReadLimits } from './transfer-reader.ts';

/** What of an address's history was read from its chain: what an answer tells of how it knows. */
export type HistoryReader = {
  /**
   * Windows of each address by address, the newest readings last; an address without any is absent. All rows that a
   * window speaks of are in the tables when it is. At most 1,000 of an address, the newest. Throws `ReadFailedError`.
   */
  windows(
    request: ReadLimits & { readonly chain: string; readonly addresses: readonly string[] },
  ): Promise<ReadonlyMap<string, readonly ListedWindow[]>>;
};
