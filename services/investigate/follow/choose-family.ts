import { toWholeUnits } from '../model/amount.ts';
import { type AssetFamily, isStablecoin, isUnverifiedToken, knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import type { Moment, Price } from '../model/price-reader.ts';
import type { FamilySent, TransactionPosition } from '../model/transfer-reader.ts';
import { type CompareOnTrail, compareOnTrail } from './payments/outgoing.ts';
import type { FollowRequest } from './trail.ts';

type Candidate = {
  readonly family: AssetFamily;
  readonly first: TransactionPosition;
  readonly sumRaw: bigint;
};

type PricesOf = (moments: readonly Moment[]) => Promise<readonly (Price | null)[]>;

/**
 * The asset to follow when the caller names none: the coin and stablecoins go before any other token, by the dollars that
 * left; where the worth of one of them is unknown, and among other tokens, whatever left first. null when nothing left.
 * Backward the same of what came, the latest first.
 */
export const chooseFamily = async (
  { chain, backward }: Pick<FollowRequest, 'chain' | 'backward'>,
  moved: readonly FamilySent[],
  pricesOf: PricesOf,
): Promise<AssetFamily | null> => {
  const candidates = moved.flatMap((item) => toCandidate(chain, item)).sort(byTime(compareOnTrail(backward)));
  const money = candidates.filter(({ family }) => family === NATIVE || isStablecoin(chain, family));
  if (money.length < 2) return (money[0] ?? candidates[0])?.family ?? null;
  const prices = await pricesOf(
    money.map(({ family, first }) => ({ family, timeUnixSeconds: first.blockTime })),
  );
  const valued = money.flatMap((candidate, at) => {
    const price = prices[at];
    const { family, sumRaw } = candidate;
    return price ? [{ family, usd: price.usd * toWholeUnits(sumRaw, knownDecimals(chain, family)) }] : [];
  });
  // A worth that is not known may be the largest: then the order of time decides.
  if (valued.length < money.length) return money[0]?.family ?? null;
  return valued.reduce((best, other) => (other.usd > best.usd ? other : best)).family;
};

/** A token that may log false transfers counts only with what the wallet itself sent. */
const toCandidate = (chain: Chain, { family, first, sumRaw, own }: FamilySent): readonly Candidate[] => {
  if (!isUnverifiedToken(chain, family)) return [{ family, first, sumRaw }];
  return own === null ? [] : [{ family, ...own }];
};

const byTime =
  (compare: CompareOnTrail) =>
  (a: Candidate, b: Candidate): number =>
    compare(a.first, b.first) || (a.family < b.family ? -1 : 1);
