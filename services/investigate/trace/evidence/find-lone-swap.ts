import type { TimeRange } from '../../model/trace-reader.ts';
import type { FoundEvidence } from '../candidate-set.ts';
import { readOtherSide } from '../matches/read-other-side.ts';
import type { QueryContext } from '../query-context.ts';
import { isCovered, readIndexed } from '../read-indexed.ts';
import { NEAR_WORTH, WINDOW_DEFAULT_SECONDS } from '../rules.ts';
import type { MatchingTransfer, Search } from '../search.ts';

/**
 * Evidence for a payout in another asset of the same value, as Yousaf et al. 2019 match ShapeShift orders.
 * Holds only when the service moved no other amount of that asset of nearly that value in the whole time
 * searched, because a lone match is unlikely to be chance. Needs at least the usual window, all of it
 * indexed: in a narrow window the nearest match is always alone. Queries only when a single transfer matches.
 */
export const findLoneSwap = async (
  search: Search,
  matches: readonly MatchingTransfer[],
  context: QueryContext,
): Promise<(readonly [string, FoundEvidence])[]> => {
  const [match] = matches;
  if (match === undefined || matches.length > 1 || match.mode !== 'swap') return [];
  const { canonicalAsset, amountRaw } = match;
  const range = atLeastUsual(search);
  const minRaw = (amountRaw * NEAR_WORTH.under) / NEAR_WORTH.over;
  const maxRaw = (amountRaw * NEAR_WORTH.over) / NEAR_WORTH.under;
  const [near, indexed] = await Promise.all([
    // Itself and one more.
    readOtherSide({ ...search, range }, { canonicalAsset, minRaw, maxRaw, limit: 2 }, context),
    readIndexed({ range }, context),
  ]);
  if (near.length > 1 || !isCovered(range, indexed)) return [];
  const detail =
    'The payout was worth what went in, and the service moved nothing else of nearly that value.';
  return [[match.counterparty, { family: 'equal_worth', grade: 'strong', detail, proofs: [match] }]];
};

/** The weight was not fitted on shorter windows. */
const atLeastUsual = ({
  range: { fromUnixSeconds, toUnixSeconds },
  request,
  intermediary,
}: Search): TimeRange => {
  const seconds = WINDOW_DEFAULT_SECONDS[intermediary.kind];
  return request.direction === 'out'
    ? { fromUnixSeconds, toUnixSeconds: Math.max(toUnixSeconds, fromUnixSeconds + seconds) }
    : { fromUnixSeconds: Math.max(0, Math.min(fromUnixSeconds, toUnixSeconds - seconds)), toUnixSeconds };
};
