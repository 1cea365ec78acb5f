import type { TimeRange } from '../../model/trace-reader.ts';
import type { Ask } from '../ask.ts';
import { readOtherSide } from '../fits/read-other-side.ts';
import { isCovered, readIndexed } from '../read-indexed.ts';
import { NEAR_WORTH, WINDOW_DEFAULT_SECONDS } from '../rules.ts';
import type { Fit, Search } from '../search.ts';
import type { FoundEvidence } from '../suspects.ts';

/**
 * Another asset of the same worth, by which Yousaf et al. 2019 match the orders of ShapeShift, where the service moved nothing
 * else of that asset that was worth nearly as much in all the time searched: the fewer lie around a worth, the fewer fit it
 * by chance. Never in less than the usual time, all of it indexed: in a narrow window, or just behind the newest block, the nearest is always
 * alone. Asks only where a single transfer fits.
 */
export const findLoneSwap = async (
  search: Search,
  fits: readonly Fit[],
  ask: Ask,
): Promise<(readonly [string, FoundEvidence])[]> => {
  const [fit] = fits;
  if (fit === undefined || fits.length > 1 || fit.mode !== 'swap') return [];
  const { canonicalAsset, amountRaw } = fit;
  const range = atLeastUsual(search);
  const minRaw = (amountRaw * NEAR_WORTH.under) / NEAR_WORTH.over;
  const maxRaw = (amountRaw * NEAR_WORTH.over) / NEAR_WORTH.under;
  const [near, indexed] = await Promise.all([
    // Itself and one more.
    readOtherSide({ ...search, range }, { canonicalAsset, minRaw, maxRaw, limit: 2 }, ask),
    readIndexed({ range }, ask),
  ]);
  if (near.length > 1 || !isCovered(range, indexed)) return [];
  const detail =
    'What came out was worth what went in, and the service moved nothing else of nearly that worth.';
  return [[fit.counterparty, { family: 'equal_worth', grade: 'strong', detail, proofs: [fit] }]];
};

/** The weight of being alone was fitted on no shorter windows. */
const atLeastUsual = ({ range: { fromUnixSeconds, toUnixSeconds }, request, middle }: Search): TimeRange => {
  const seconds = WINDOW_DEFAULT_SECONDS[middle.kind];
  return request.direction === 'out'
    ? { fromUnixSeconds, toUnixSeconds: Math.max(toUnixSeconds, fromUnixSeconds + seconds) }
    : { fromUnixSeconds: Math.max(0, Math.min(fromUnixSeconds, toUnixSeconds - seconds)), toUnixSeconds };
};
