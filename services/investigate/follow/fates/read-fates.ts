import { isUnverifiedToken } from '../../model/asset.ts';
import { isBurnAddress } from '../../model/burn-address.ts';
import { canFreeze } from '../../model/can-freeze.ts';
import { isReadSince } from '../../model/history-coverage.ts';
import type { WalletSince } from '../../model/transfer-reader.ts';
import type { FollowContext } from '../follow-context.ts';
import type { FollowReads } from '../follow-reader.ts';
import { type Fate, type Freeze, NOTHING_KNOWN } from './fate.ts';

export type Rested = WalletSince & { readonly restRaw: bigint };

/**
 * What became of the money at each wallet, in their order. Two queries at once, none where nothing rests. Throws as the context's
 * reads do.
 */
export const readFates = async (
  { request: { chain }, asset: { canonicalAsset } }: Pick<FollowContext, 'request' | 'asset'>,
  rested: readonly Rested[],
  reads: FollowReads,
): Promise<readonly Fate[]> => {
  if (rested.length === 0) return [];
  const since = rested.map(({ wallet, sinceUnixSeconds }) => ({ wallet, sinceUnixSeconds }));
  const ownOnly = isUnverifiedToken(chain, canonicalAsset);
  const [lost, freezes] = await Promise.all([
    reads.lost({ chain: chain.name, canonicalAsset, ownOnly }, since),
    readFreezes({ chain, canonicalAsset }, since, reads),
  ]);
  return rested.map(({ wallet, restRaw }, at): Fate => {
    const told = { ...NOTHING_KNOWN, ...lost[at], ...freezes[at] };
    // Nobody has its key.
    return isBurnAddress(chain, wallet) ? { ...told, burntRaw: restRaw } : told;
  });
};

type Frozen = Pick<Fate, 'freeze' | 'isFreezeKnown'>;
type OfAsset = Pick<FollowContext['asset'], 'canonicalAsset'> & Pick<FollowContext['request'], 'chain'>;

/** Whether it is known. A block that is missing after a freeze may have released it, and one since the money came may hold a freeze. */
const readFreezes = async (
  { chain, canonicalAsset: asset }: OfAsset,
  since: readonly WalletSince[],
  reads: FollowReads,
): Promise<readonly Frozen[]> => {
  if (canFreeze(chain, asset) === false) return since.map(() => ({ freeze: null, isFreezeKnown: true }));
  // Any other token's issuer may freeze what it likes, and no list says whose word that is.
  if (canFreeze(chain, asset) === null) return since.map(() => ({ freeze: null, isFreezeKnown: false }));
  const wallets = since.map(({ wallet }) => wallet);
  const [events, [span = null]] = await Promise.all([
    reads.freezes({ chain: chain.name, asset }, wallets),
    reads.controlSpan({}, [chain.name]),
  ]);
  return since.map(({ sinceUnixSeconds }, at): Frozen => {
    const event = events[at] ?? null;
    if (event !== null && isReadSince(span, event)) {
      const { signature, blockTime: timeUnixSeconds, blockNumber, party: by } = event;
      const freeze: Freeze = { signature, timeUnixSeconds, blockNumber, by };
      return { freeze, isFreezeKnown: true };
    }
    const isRead = span !== null && (span.beginsChain || span.fromUnixSeconds <= sinceUnixSeconds);
    return { freeze: null, isFreezeKnown: event === null && isRead };
  });
};
