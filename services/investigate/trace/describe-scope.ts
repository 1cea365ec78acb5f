import { presentAddress } from '../model/address.ts';
import { assetSymbol } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { FoundAnchor } from './anchor/find-anchor.ts';
import type { Indexed } from './read-indexed.ts';
import type { LeftOut, Trace, TraceWindow } from './trace-answer.ts';
import { wholeUnits } from './whole-units.ts';

type Known = {
  readonly chain: Chain;
  readonly anchor: Pick<FoundAnchor, 'verified' | 'isWhole' | 'leftOut'>;
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
  chain,
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
    ...(anchor.leftOut.length === 0
      ? []
      : [anchor.verified ? movedBeside(chain, anchor.leftOut) : NAMES_BOTH]),
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
const NAMES_BOTH =
  'The request names both the coin and stablecoins: only what was worth more is traced, and a request that names nothing else traces the other.';
/** Each with what to ask for it: in another pool behind the same router it is found by that pool alone. */
const movedBeside = (chain: Chain, leftOut: readonly LeftOut[]): string =>
  leftOut
    .map(({ counterparty, ...holding }) => {
      const sum = `${wholeUnits(chain, holding)} ${assetSymbol(chain, holding.family)}`;
      const request =
        counterparty === undefined
          ? 'for it alone'
          : `with the counterparty ${presentAddress(chain, counterparty)}`;
      return `The transaction also moved ${sum}, which is not traced: a request ${request} traces it.`;
    })
    .join(' ');
const READ_IN_PART =
  'The transaction holds more transfers than are read: of what was moved a part may be missing.';
const CUT_OFF = 'More transfers fit than are read: the search is not complete.';
const NOT_PRICED =
  'Prices of that time are not known: of what moved in other assets some or all is not compared.';
const PAYERS_UNKNOWN =
  'What fits also came through deposit addresses that no list knows, or may have: of some it is not known who paid into them.';
const LOOKED_AT_SOME =
  'There are too many candidates to look at each for all evidence: of some it may be missing.';
const KNOWS_SOME =
  'The wallet dealt with more others than are looked at, or before the first indexed block: of some candidates evidence may be missing.';
const BEGINS_LATER = 'The window begins before the first indexed block.';
const ENDS_EARLIER = 'The window reaches beyond the newest indexed block: ask again later.';
const HAS_GAPS = 'Not every block of the window is indexed: ask again later.';
