import type { DecodedBlock } from '../../investigate/model/block.ts';

/**
 * Why traces of some or all transactions are missing: the node may give them later (`for_now`) or never
 * (`for_good`). Another node may in both cases.
 */
export type Untraced = 'for_now' | 'for_good';

export type FetchResult =
  | {
      readonly status: 'block';
      readonly decoded: DecodedBlock;
      /** Absent or null if nothing is missing. */
      readonly untraced?: Untraced | null;
      /** The node withholds a part that another may give; the problems say which. */
      readonly isPartial?: boolean;
      /** Why its parts contradict each other; absent or null if they do not. */
      readonly contradicts?: Untraced | null;
    }
  /** The chain will never have a block at this number (a skipped slot). */
  | { readonly status: 'skipped' }
  /** The chain is not there yet, or the node does not know yet. */
  | {
      readonly status: 'not_yet';
      /** Whether a node that may have it could not be asked. */
      readonly isUnsure?: boolean;
    };

/** A chain as ingestion sees it; each family decodes its own blocks. */
export type BlockSource = {
  readonly chain: string;
  /** The newest number to request. Throws if the node is out of reach. */
  head(signal: AbortSignal): Promise<number>;
  fetch(number: number, signal: AbortSignal): Promise<FetchResult>;
  /** Resolves when the head may have moved, or after `waitMs`. Absent if no node pushes. */
  headMoved?(waitMs: number, signal: AbortSignal): Promise<void>;
  /** Whether a node gives traces; null while unknown. Absent if blocks need none. */
  offersTraces?(): boolean | null;
};
