import type { FoundAnchor } from './find-anchor.ts';
import type { Indexed } from './read-indexed.ts';
import type { Trace, TraceWindow } from './trace-answer.ts';

type Known = {
  readonly anchor: Pick<FoundAnchor, 'verified' | 'isWhole'>;
  readonly window: TraceWindow;
  readonly indexed: Indexed;
  /** All prices by which transfers were compared were known. */
  readonly isPriced: boolean;
  /** Who paid the deposit addresses among those that fit. */
  readonly knowsPayers: boolean;
  /** Every candidate for all evidence. */
  readonly lookedAtAll: boolean;
  /** Everybody whom the traced wallet dealt with. */
  readonly knowsAll: boolean;
};

/**
 * How much of what was asked is in the tables. An answer without candidates means that nobody fits only where its scope is
 * `full`; with `no_data` nothing was there to be searched.
 */
export const describeScope = ({
  anchor,
  window,
  isPriced,
  knowsPayers,
  lookedAtAll,
  knowsAll,
  indexed: { span: indexed, hasGaps },
}: Known): Pick<Trace, 'scope' | 'detail' | 'indexed'> => {
  const overlaps =
    indexed !== null &&
    indexed.fromUnixSeconds <= window.toUnixSeconds &&
    indexed.toUnixSeconds >= window.fromUnixSeconds;
  if (!overlaps || (!anchor.verified && window.transactions === 0))
    return { scope: 'no_data', detail: overlaps ? NOTHING_KNOWN : NOT_INDEXED, indexed };
  const gaps = [
    ...(anchor.verified ? [] : [UNVERIFIED]),
    ...(anchor.isWhole ? [] : [READ_IN_PART]),
    ...(window.complete ? [] : [CUT_OFF]),
    ...(isPriced ? [] : [NOT_PRICED]),
    ...(knowsPayers ? [] : [PAYERS_UNKNOWN]),
    ...(lookedAtAll ? [] : [LOOKED_AT_SOME]),
    ...(knowsAll ? [] : [KNOWS_SOME]),
    ...(window.fromUnixSeconds < indexed.fromUnixSeconds ? [BEGINS_LATER] : []),
    ...(window.toUnixSeconds > indexed.toUnixSeconds ? [ENDS_EARLIER] : []),
    ...(hasGaps ? [HAS_GAPS] : []),
  ];
  return gaps.length === 0
    ? { scope: 'full', detail: null, indexed }
    : { scope: 'partial', detail: gaps.join(' '), indexed };
};

const NOT_INDEXED = 'No block of the window is indexed: nothing could be searched.';
const NOTHING_KNOWN =
  'The transfer is not indexed, and the service moved no such amount in the window: nothing is known here.';
const UNVERIFIED = 'The transfer is not indexed: its amount and time are as the request says.';
const READ_IN_PART =
  'The transaction holds more transfers than are read: of what was moved a part may be missing.';
const CUT_OFF = 'More transfers fit than are read: the search is not complete.';
const NOT_PRICED =
  'Prices of that time are not known: of what was swapped into other assets some or all is not compared.';
const PAYERS_UNKNOWN =
  'What fits also came through deposit addresses that no list knows, or may have: of some it is not known who paid into them.';
const LOOKED_AT_SOME =
  'There are too many candidates to look at each for all evidence: of some it may be missing.';
const KNOWS_SOME =
  'The wallet dealt with more others than are looked at: of some candidates evidence may be missing.';
const BEGINS_LATER = 'The window begins before the first indexed block.';
const ENDS_EARLIER = 'The window reaches beyond the newest indexed block: ask again later.';
const HAS_GAPS = 'Not every block of the window is indexed: ask again later.';
