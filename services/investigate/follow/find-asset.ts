import { toWholeUnits } from '../model/amount.ts';
import { type CanonicalAsset, isStablecoin, isUnverifiedToken, knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import type { AssetSent, RowPosition } from '../model/transfer-reader.ts';
import { directionOf } from './direction.ts';
import type { FollowReads } from './follow-reader.ts';
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

export const findAsset = async (request: FollowRequest, reads: FollowReads): Promise<FollowedAsset> => {
  const { chain, canonicalAsset } = request;
  return toAsset(chain, canonicalAsset ?? (await chooseAsset(request, reads)), reads);
};

/**
 * The asset to follow when the caller names none: the coin and stablecoins go before any other token, by the dollars that
 * left; where the worth of one of them is unknown, and among other tokens, whatever left first. The coin when nothing left.
 * Backward the same of what came, the latest first.
 */
const chooseAsset = async (request: FollowRequest, reads: FollowReads): Promise<CanonicalAsset> => {
  const { chain, backward } = request;
  const moved = await readMoved(request, reads);
  const { compare } = directionOf(backward);
  const candidates = moved
    .flatMap((item) => toCandidate(chain, item))
    .sort((a, b) => compare(a.first, b.first) || (a.canonicalAsset < b.canonicalAsset ? -1 : 1));
  const money = candidates.filter(
    ({ canonicalAsset }) => canonicalAsset === NATIVE || isStablecoin(chain, canonicalAsset),
  );
  const [first = NATIVE] = (money.length === 0 ? candidates : money).map((one) => one.canonicalAsset);
  if (money.length < 2) return first;
  const moments = money.map((one) => ({
    canonicalAsset: one.canonicalAsset,
    timeUnixSeconds: one.first.blockTime,
  }));
  const prices = await reads.prices({ chain }, moments);
  const valued = money.flatMap(({ canonicalAsset, sumRaw }, at) => {
    const price = prices[at];
    const units = toWholeUnits(sumRaw, knownDecimals(chain, canonicalAsset));
    return price ? [{ canonicalAsset, usd: price.usd * units }] : [];
  });
  // An unknown worth may be the largest, so the order of time decides.
  if (valued.length < money.length) return first;
  return valued.reduce((best, other) => (other.usd > best.usd ? other : best)).canonicalAsset;
};

const readMoved = async (
  { chain, start: wallet, atUnixSeconds, backward }: FollowRequest,
  reads: FollowReads,
): Promise<readonly AssetSent[]> => {
  const time = backward
    ? { untilUnixSeconds: atUnixSeconds ?? END_OF_TIME.blockTime }
    : { sinceUnixSeconds: atUnixSeconds ?? 0 };
  const [moved = []] = await reads.assetsMoved({ chain: chain.name, ...time }, [wallet]);
  return moved;
};

type Candidate = Pick<AssetSent, 'canonicalAsset' | 'first' | 'sumRaw'>;

/** A token that may log false transfers counts only with what the wallet itself sent. */
const toCandidate = (
  chain: Chain,
  { canonicalAsset, first, sumRaw, own }: AssetSent,
): readonly Candidate[] => {
  if (!isUnverifiedToken(chain, canonicalAsset)) return [{ canonicalAsset, first, sumRaw }];
  return own === null ? [] : [{ canonicalAsset, ...own }];
};
