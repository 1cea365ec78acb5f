import { isStablecoin } from '../../model/asset.ts';
import { NATIVE } from '../../model/movement.ts';
import { wholeUnits } from '../amounts.ts';
import type { Correction, Holding, TraceRequest } from '../trace-answer.ts';

/** A rounded amount, or one stated without its fee, is not a mistake. */
const TOLERANCE = 0.01;

type AnchorTransfers = { readonly timeUnixSeconds: number; readonly passed: readonly Holding[] };

/**
 * Differences between the request and the transaction. An amount of 0 excludes that asset and is not a
 * mistake.
 */
export const correct = (
  request: TraceRequest,
  { timeUnixSeconds, passed }: AnchorTransfers,
): readonly Correction[] => {
  const { chain, coin, usd, missing } = request;
  const amountsOf = (isOne: (holding: Holding) => boolean): number[] =>
    passed.filter(isOne).map((holding) => wholeUnits(chain, holding));
  const coins = amountsOf(({ canonicalAsset }) => canonicalAsset === NATIVE);
  const dollars = amountsOf(({ canonicalAsset }) => isStablecoin(chain, canonicalAsset));
  const corrections: Correction[] = [];
  if (!missing.includes('time') && request.timeUnixSeconds !== timeUnixSeconds)
    corrections.push({ field: 'time', said: request.timeUnixSeconds, found: timeUnixSeconds });
  for (const [field, said, moved] of [
    ['sol', coin, coins],
    ['usd', usd, dollars],
  ] as const) {
    if (said === 0 || moved.some((found) => Math.abs(found - said) <= said * TOLERANCE)) continue;
    corrections.push({ field, said, found: moved.reduce((most, found) => Math.max(most, found), 0) });
  }
  return corrections;
};
