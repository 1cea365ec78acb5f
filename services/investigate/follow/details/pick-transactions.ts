import { largestFirst } from '../../model/amount.ts';
import type { Inflow } from '../payments/inflow.ts';
import { SALE_CARRIERS_MAX, TRANSACTIONS_MAX, TRANSACTIONS_PER_TRAIL_MAX } from '../rules.ts';
import type { FoundHop } from '../trail.ts';

/** The largest transactions, which say what a hop was: first the one that it is shown by. */
export const pickCarriers = ({ carriers }: Pick<FoundHop, 'carriers'>): readonly Inflow[] =>
  carriers.toSorted(largestFirst).slice(0, SALE_CARRIERS_MAX);

/** Of each hop the largest transactions, in the trail's order: those that an answer names. */
export const pickNamed = (hops: readonly Pick<FoundHop, 'carriers'>[]): readonly (readonly Inflow[])[] => {
  const fairShare = Math.floor(TRANSACTIONS_PER_TRAIL_MAX / Math.max(1, hops.length));
  const most = Math.max(SALE_CARRIERS_MAX, Math.min(TRANSACTIONS_MAX, fairShare));
  return hops.map(({ carriers }) => {
    if (carriers.length <= most) return carriers;
    const largest = new Set(carriers.toSorted(largestFirst).slice(0, most));
    return carriers.filter((carrier) => largest.has(carrier));
  });
};
