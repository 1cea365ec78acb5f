import { least } from '../../model/amount.ts';
import type { FoundHop } from '../trail.ts';

/**
 * How much of each hop is the money that is followed. Senders add money of their own: of what then arrives only that part is
 * the trail's, and the same part of whatever is paid on from it.
 */
export const traceAmounts = (hops: readonly Pick<FoundHop, 'amountRaw' | 'arrivedRaw'>[]): bigint[] => {
  const traced: bigint[] = [];
  let cameRaw: bigint | null = null;
  for (const { amountRaw, arrivedRaw } of hops) {
    const ownRaw: bigint = cameRaw ?? arrivedRaw;
    // Exact where nobody added any: both are the same then.
    cameRaw = arrivedRaw === 0n ? 0n : (ownRaw * least(amountRaw, arrivedRaw)) / arrivedRaw;
    traced.push(cameRaw);
  }
  return traced;
};
