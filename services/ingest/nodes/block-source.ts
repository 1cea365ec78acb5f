import type { DecodedBlock } from '../../investigate/model/block.ts';

/**
 * Why a block lacks what calls moved inside its transactions, or inside some of them: the node may tell when it is asked again
 * (`for_now`), or it never will (`for_good`). Another node may in both cases.
 */
export type Untraced = 'for_now' | 'for_good';

export type FetchResult =
  | {
      readonly status: 'block';
      readonly decoded: DecodedBlock;
      /** Absent or null where nothing is missing. */
      readonly untraced?: Untraced | null;
      /** The node keeps back a part of it that another one may tell; its problems say which. */
      readonly isPartial?: boolean;
      /** Why its parts contradict each other, in the same words; absent or null where they do not. */
      readonly contradicts?: Untraced | null;
    }
  /** The chain has no block at this number and never will (a skipped slot). */
  | { readonly status: 'skipped' }
  /** The chain is not there yet, or the node cannot tell yet. */
  | {
      readonly status: 'not_yet';
      /** Whether a node that may have it could not be asked. */
      readonly isUnsure?: boolean;
    };

/** A chain as ingestion sees it: each family decodes its own blocks. */
export type BlockSource = {
  readonly chain: string;
  /** The newest number that may be asked for. Throws when the node is out of reach. */
  head(signal: AbortSignal): Promise<number>;
  fetch(number: number, signal: AbortSignal): Promise<FetchResult>;
  /**
   * Resolves when the head may have moved, at the latest after `waitMs`. Absent where no node tells by itself.
   */
  headMoved?(waitMs: number, signal: AbortSignal): Promise<void>;
  /** Whether a node shows what calls moved inside a transaction; null while unknown. Absent where blocks tell it. */
  offersTraces?(): boolean | null;
};
