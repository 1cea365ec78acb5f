import type { TimeRange } from '../../model/trace-reader.ts';
import type { FoundEvidence } from '../candidate-set.ts';
import { readOtherSide } from '../matches/read-other-side.ts';
import type { QueryContext } from '../query-context.ts';
import { isCovered, readIndexed } from '../read-indexed.ts';
import { NEAR_WORTH, WINDOW_DEFAULT_SECONDS } from '../rules.ts';
import type { MatchingTransfer, Search } from '../search.ts';

/**
 * Another asset of the same worth, by which Yousaf et al. 2019 match the orders of ShapeShift, where the service moved nothing
 * else of that asset that was worth nearly as much in all the time searched: the fewer lie around a worth, the fewer fit it
 * by chance. Never in less than the usual time, all of it indexed: in a narrow window, or just behind the newest block, the nearest is always
 * alone. Asks only where a single transfer fits.
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
    'What came out was worth what went in, and the service moved nothing else of nearly that worth.';
  return [[match.counterparty, { family: 'equal_worth', grade: 'strong', detail, proofs: [match] }]];
};

/** The weight of being alone was fitted on no shorter windows. */
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
