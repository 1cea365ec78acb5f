import type { Address } from '../model/address.ts';
import type { CanonicalAsset } from '../model/asset.ts';
import type { ServiceTransfer, TimeRange } from '../model/trace-reader.ts';
import type { FoundAnchor } from './anchor/find-anchor.ts';
import type { ModeFound } from './choose-mode.ts';
import type { Mode } from './matches/fee-model.ts';
import type { Intermediary } from './resolve-intermediary.ts';
import type { TraceRequest } from './trace-answer.ts';

/** What is traced, and where its other side is looked for. */
export type PreparedSearch = {
  readonly request: TraceRequest;
  readonly anchor: FoundAnchor;
  readonly intermediary: Intermediary;
  readonly found: ModeFound;
  /** The wallet of the service that the anchor's money went into, or came out of: behind a router not the counterparty. */
  readonly pool: Address;
  readonly range: TimeRange;
  /** The range lies on the wrong side of the anchor on purpose. */
  readonly isPlacebo: boolean;
};

/** `indexedSinceUnixSeconds`: before it no crowd is known, but single wallets that somebody asked about. */
export type Search = PreparedSearch & { readonly indexedSinceUnixSeconds: number };

/**
 * A transfer on the other side of the service that may be the anchor's own money; `mode`: how its amount was compared; `via`: the
 * deposit address, which no list knows, that passed on what the counterparty had paid it; `through`: the wallet of the service at its outer
 * end, where that handed it on at once.
 */
export type MatchingTransfer = ServiceTransfer & {
  readonly canonicalAsset: CanonicalAsset;
  readonly mode: Mode;
  readonly via?: Address;
  readonly through?: Address;
};

/** `complete` is false where there were more than are read. */
export type MatchesRead = { readonly rows: readonly MatchingTransfer[]; readonly complete: boolean };
