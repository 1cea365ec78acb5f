import type { DecodeProblem } from '../../investigate/model/block.ts';
import type { RawReward } from './encoding/raw-block.ts';

export const REWARDS_ABSENT = 'rewards_absent';

/**
 * A block's leader gets a part of its fees, so a block with fees has a reward for them. Without one the node may
 * keep none or not have written them yet, or the leader's account could not take them and they were destroyed.
 */
export const feesUnrewarded = (rewards: unknown, hasFees: boolean): DecodeProblem | null => {
  if (!hasFees || (Array.isArray(rewards) && rewards.some(mayBeForFees))) return null;
  const told = Array.isArray(rewards) ? `${rewards.length} rewards, none of them for fees` : 'no rewards';
  const message = `fees were paid, but the block lists ${told}: who got them is not known`;
  return { code: REWARDS_ABSENT, txIndex: null, message };
};

/** Nodes of 2020 did not tell a reward's reason. */
const mayBeForFees = (reward: RawReward | null): boolean =>
  (reward?.rewardType ?? 'Fee').toLowerCase() === 'fee';
