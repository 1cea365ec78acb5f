import { toWholeUnits } from '../model/amount.ts';
import { type CanonicalAsset, isStablecoin, isUnverifiedToken, knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import type { Moment, Price } from '../model/price-reader.ts';
import type { AssetSent, RowPosition, TransactionPosition } from '../model/transfer-reader.ts';
import { type CompareOnTrail, directionOf } from './direction.ts';
import type { BudgetedRead } from './follow-reader.ts';
import { toAsset } from './read-assets.ts';
import type { FollowedAsset, FollowRequest } from './trail.ts';

/** The last second that tables can hold, and positions behind every transaction of it. */
export const END_OF_TIME: RowPosition = {
  blockTime: 4_294_967_295,
  blockNumber: Number.MAX_SAFE_INTEGER,
  txIndex: 2_147_483_647,
  step: 0,
};

/** Before everything that happened at the time asked about; backward, behind it. */
export const startPosition = ({ atUnixSeconds, backward }: FollowRequest): RowPosition =>
  backward
    ? { ...END_OF_TIME, blockTime: atUnixSeconds ?? END_OF_TIME.blockTime }
    : { blockTime: atUnixSeconds ?? 0, blockNumber: 0, txIndex: 0, step: 0 };

export const findAsset = async (request: FollowRequest, read: BudgetedRead): Promise<FollowedAsset> => {
  const { chain, canonicalAsset } = request;
  return toAsset(chain, canonicalAsset ?? (await chooseAsset(request, read)), read);
};

const chooseAsset = async (request: FollowRequest, read: BudgetedRead): Promise<string> => {
  const { chain, start: wallet, atUnixSeconds, backward } = request;
  const asked = { chain: chain.name, wallet };
  const moved = await read((reader, limits) =>
    backward
      ? reader.assetsReceived({
          ...asked,
          untilUnixSeconds: atUnixSeconds ?? END_OF_TIME.blockTime,
          ...limits,
        })
      : reader.assetsSent({ ...asked, sinceUnixSeconds: atUnixSeconds ?? 0, ...limits }),
  );
  const chosen = await chooseMainAsset(request, moved, (moments) =>
    read((_, limits, { prices }) => prices.prices({ chain, moments, ...limits })),
  );
  return chosen ?? NATIVE;
};

type Candidate = {
  readonly canonicalAsset: CanonicalAsset;
  readonly first: TransactionPosition;
  readonly sumRaw: bigint;
};

type PricesOf = (moments: readonly Moment[]) => Promise<readonly (Price | null)[]>;

/**
 * The asset to follow when the caller names none: the coin and stablecoins go before any other token, by the dollars that
 * left; where the worth of one of them is unknown, and among other tokens, whatever left first. null when nothing left.
 * Backward the same of what came, the latest first.
 */
export const chooseMainAsset = async (
  { chain, backward }: Pick<FollowRequest, 'chain' | 'backward'>,
  moved: readonly AssetSent[],
  pricesOf: PricesOf,
): Promise<CanonicalAsset | null> => {
  const candidates = moved
    .flatMap((item) => toCandidate(chain, item))
    .sort(byTime(directionOf(backward).compare));
  const money = candidates.filter(
    ({ canonicalAsset }) => canonicalAsset === NATIVE || isStablecoin(chain, canonicalAsset),
  );
  if (money.length < 2) return (money[0] ?? candidates[0])?.canonicalAsset ?? null;
  const prices = await pricesOf(
    money.map(({ canonicalAsset, first }) => ({ canonicalAsset, timeUnixSeconds: first.blockTime })),
  );
  const valued = money.flatMap((candidate, at) => {
    const price = prices[at];
    const { canonicalAsset, sumRaw } = candidate;
    return price
      ? [{ canonicalAsset, usd: price.usd * toWholeUnits(sumRaw, knownDecimals(chain, canonicalAsset)) }]
      : [];
  });
  // A worth that is not known may be the largest: then the order of time decides.
  if (valued.length < money.length) return money[0]?.canonicalAsset ?? null;
  return valued.reduce((best, other) => (other.usd > best.usd ? other : best)).canonicalAsset;
};

/** A token that may log false transfers counts only with what the wallet itself sent. */
const toCandidate = (
  chain: Chain,
  { canonicalAsset, first, sumRaw, own }: AssetSent,
): readonly Candidate[] => {
  if (!isUnverifiedToken(chain, canonicalAsset)) return [{ canonicalAsset, first, sumRaw }];
  return own === null ? [] : [{ canonicalAsset, ...own }];
};

const byTime =
  (compare: CompareOnTrail) =>
  (a: Candidate, b: Candidate): number =>
    compare(a.first, b.first) || (a.canonicalAsset < b.canonicalAsset ? -1 : 1);
