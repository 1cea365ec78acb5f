import type { Address } from '../model/address.ts';
import type { CanonicalAsset } from '../model/asset.ts';
import type { ServiceTransfer, TimeRange } from '../model/trace-reader.ts';
import type { FoundAnchor } from './anchor/find-anchor.ts';
import type { ModeFound } from './choose-mode.ts';
import type { Mode } from './matches/fee-model.ts';
import type { Intermediary } from './resolve-intermediary.ts';
import type { TraceRequest } from './trace-answer.ts';

/** The traced money, and where its other side is searched. */
export type PreparedSearch = {
  readonly request: TraceRequest;
  readonly anchor: FoundAnchor;
  readonly intermediary: Intermediary;
  readonly found: ModeFound;
  /**
   * The service's wallet that the anchor's money went into or came from. Behind a router this is not the
   * counterparty.
   */
  readonly pool: Address;
  readonly range: TimeRange;
  /** The range lies on the wrong side of the anchor on purpose (placebo). */
  readonly isPlacebo: boolean;
};

/**
 * `indexedSinceUnixSeconds`: before it only single wallets that were backfilled on demand are known, no
 * crowd.
 */
export type Search = PreparedSearch & {
  readonly indexedSinceUnixSeconds: number;
  /** Before it the crowd is not known. */
  readonly crowdSinceUnixSeconds: number;
};

/**
 * A transfer on the other side of the service that may be the anchor's own money. `mode`: how its amount was
 * compared. `via`: the unlisted deposit address that passed the money on. `through`: the service's wallet at
 * its outer end, when that passed it on at once.
 */
export type MatchingTransfer = ServiceTransfer & {
  readonly canonicalAsset: CanonicalAsset;
  readonly mode: Mode;
  readonly via?: Address;
  readonly through?: Address;
};

/** `complete` is false when there were more than are read. */
export type MatchesRead = { readonly rows: readonly MatchingTransfer[]; readonly complete: boolean };
