import { presentAddress } from '../model/address.ts';
import { assetSymbol } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { countOf } from '../model/count-of.ts';
import type { Direction, TimeRange } from '../model/trace-reader.ts';
import { wholeUnits } from './amounts.ts';
import type { FoundAnchor } from './anchor/find-anchor.ts';
import type { CrowdKnown } from './crowd.ts';
import { isSwapper, type Mode } from './matches/fee-model.ts';
import type { Indexed } from './read-indexed.ts';
import type { Intermediary } from './resolve-intermediary.ts';
import { WINDOW_MAX_SECONDS } from './rules.ts';
import type { LeftOut, Trace, TraceWindow } from './trace-answer.ts';

type ScopeFacts = {
  readonly chain: Chain;
  readonly anchor: Pick<FoundAnchor, 'verified' | 'isComplete' | 'leftOut' | 'moved'>;
  readonly intermediary: Pick<Intermediary, 'entity' | 'kind'>;
  readonly mode: Mode;
  readonly direction: Direction;
  readonly candidates: readonly unknown[];
  readonly excluded: number;
  readonly window: TraceWindow;
  readonly indexed: Indexed;
  /** Whether all prices needed to compare transfers were known. */
  readonly isPriced: boolean;
  /** Whether the payers of all matching deposit addresses are known. */
  readonly hasAllPayers: boolean;
  /** Whether every candidate was checked for all evidence. */
  readonly checkedAll: boolean;
  /** Whether all counterparties of the traced wallet are known. */
  readonly hasAllCounterparties: boolean;
  /** How much of the service's side was read from the chain by itself, where blocks are not indexed. */
  readonly crowd: CrowdKnown;
};

/**
 * How much of the needed data is indexed. Without candidates, only scope `full` means that nothing matches.
 * With `no_data` there was nothing to search.
 */
export const describeScope = (known: ScopeFacts): Pick<Trace, 'scope' | 'detail' | 'indexed'> => {
  const { chain, anchor, window, candidates } = known;
  const indexed = known.indexed.span;
  const isIndexed =
    indexed !== null &&
    indexed.fromUnixSeconds <= window.toUnixSeconds &&
    indexed.toUnixSeconds >= window.fromUnixSeconds;
  const overlaps = isIndexed || known.crowd !== 'unread';
  if (!overlaps || (!anchor.verified && window.transactions === 0)) {
    const detail = overlaps ? NOTHING_KNOWN : indexed === null ? notReadHere(chain) : NOT_INDEXED;
    return { scope: 'no_data', detail, indexed };
  }
  const isNobody = candidates.length === 0;
  const gaps = [...gapsOfData(known, indexed), ...(isNobody ? notCompared(known) : [])];
  const detail = [...(isNobody ? [describeNoMatch(known)] : []), ...gaps].join(' ') || null;
  return { scope: gaps.length === 0 ? 'full' : 'partial', detail, indexed };
};

const gapsOfData = (known: ScopeFacts, indexed: TimeRange | null): string[] => {
  const { chain, anchor, window, isPriced, hasAllPayers, checkedAll, hasAllCounterparties } = known;
  return [
    ...(anchor.verified ? [] : [UNVERIFIED]),
    ...(anchor.isComplete ? [] : [READ_IN_PART]),
    ...(anchor.leftOut.length === 0
      ? []
      : [anchor.verified ? movedBeside(chain, anchor.leftOut) : NAMES_BOTH]),
    ...(window.complete ? [] : [known.crowd === 'part' ? CROWD_IN_PART : CUT_OFF]),
    ...(isPriced ? [] : [NOT_PRICED]),
    ...(hasAllPayers ? [] : [PAYERS_UNKNOWN]),
    ...(checkedAll ? [] : [TOO_MANY_CANDIDATES]),
    ...(hasAllCounterparties ? [] : [COUNTERPARTIES_MISSING]),
    ...(known.crowd !== 'unread' || indexed === null ? [] : gapsOfBlocks(known, indexed)),
  ];
};

const gapsOfBlocks = ({ window, indexed: { hasGaps } }: ScopeFacts, indexed: TimeRange): string[] => [
  ...(window.fromUnixSeconds < indexed.fromUnixSeconds ? [BEGINS_LATER] : []),
  ...(window.toUnixSeconds > indexed.toUnixSeconds ? [ENDS_EARLIER] : []),
  ...(hasGaps ? [HAS_GAPS] : []),
];

const notReadHere = ({ name }: Chain): string =>
  `${name} is not read here: no block of it is indexed, so nothing could be searched. Ask a service that reads ${name}.`;

const iso = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString();

/** The search criteria, and what to change. */
const describeNoMatch = ({
  chain,
  anchor,
  intermediary,
  window,
  direction,
  excluded,
}: ScopeFacts): string => {
  const sums = anchor.moved.map(
    (holding) => `${wholeUnits(chain, holding)} ${assetSymbol(chain, holding.canonicalAsset)}`,
  );
  const isForward = direction === 'out';
  const what = isForward ? 'paid out by' : 'paid into';
  const whom = isForward ? 'to an unknown wallet' : 'from an unknown wallet';
  const fee = isForward ? 'less its fee' : 'and a fee';
  const seconds = window.toUnixSeconds - window.fromUnixSeconds;
  const others =
    excluded === 0
      ? ''
      : ` ${countOf(excluded, 'matching transfer was', 'matching transfers were')} with known services or contracts.`;
  const longer =
    seconds < WINDOW_MAX_SECONDS
      ? ` To look further, ask with a longer window: ${seconds} seconds were searched; the maximum is ${WINDOW_MAX_SECONDS}.`
      : ' The longest window was searched.';
  return `Nobody fits: among the transfers ${what} ${intermediary.entity} (known wallets: ${window.searchedTotal}, on ${chain.name}) from ${iso(window.fromUnixSeconds)} to ${iso(window.toUnixSeconds)}, none ${whom} is ${sums.join(' or ')} ${fee}.${others}${longer}`;
};

/** Routes of the money that this search cannot see. */
const notCompared = ({ chain, intermediary, mode }: ScopeFacts): string[] => {
  if (intermediary.kind === 'exchange') {
    const assets = isSwapper(intermediary.entity)
      ? 'other tokens than the coin and stablecoins'
      : 'other assets';
    return [
      `Not compared: payments on chains other than ${chain.name}, in ${assets}, and payments in several parts.`,
    ];
  }
  return mode === 'free'
    ? [
        'Not compared: payments of a part of the amount, unless other evidence ties them to the wallet, and other chains.',
      ]
    : [];
};

const NOT_INDEXED = 'No block of the window is indexed: nothing could be searched.';
const NOTHING_KNOWN =
  'The transfer is not indexed, and the service moved no such amount in the window: nothing is known here.';
const UNVERIFIED = 'The transfer is not indexed: its amount and time are taken from the request.';
const NAMES_BOTH =
  'The request names both the coin and stablecoins. Only the one worth more is traced. To trace the other, name it alone.';
/**
 * Names each, with the request that traces it: in another pool behind the same router, that pool must be the
 * counterparty.
 */
const movedBeside = (chain: Chain, leftOut: readonly LeftOut[]): string =>
  leftOut
    .map(({ counterparty, ...holding }) => {
      const sum = `${wholeUnits(chain, holding)} ${assetSymbol(chain, holding.canonicalAsset)}`;
      const request =
        counterparty === undefined
          ? 'for it alone'
          : `with the counterparty ${presentAddress(chain, counterparty)}`;
      return `The transaction also moved ${sum}, which is not traced: a request ${request} traces it.`;
    })
    .join(' ');
const READ_IN_PART =
  'The transaction holds more transfers than are read, so some of the amount may be missing.';
const CROWD_IN_PART =
  'The service was read from its chain only in part: others may have been paid, so the search is not complete.';
const CUT_OFF = 'More transfers match than are read: the search is not complete.';
const NOT_PRICED =
  'Prices of that time are not known, so transfers in other assets were compared in part or not at all.';
const PAYERS_UNKNOWN =
  'Some matching transfers went, or may have gone, through unlisted deposit addresses whose payers are not all known.';
const TOO_MANY_CANDIDATES =
  'There are too many candidates to check each for all evidence: some evidence may be missing.';
const COUNTERPARTIES_MISSING =
  'The wallet has more counterparties than are examined, or some from before the first indexed block, so evidence of some candidates may be missing.';
const BEGINS_LATER = 'The window begins before the first indexed block.';
const ENDS_EARLIER = 'The window reaches beyond the newest indexed block: ask again later.';
const HAS_GAPS = 'Not every block of the window is indexed: ask again later.';
