import { largestFirst } from '../../model/amount.ts';
import type { Arrival } from '../payments/outgoing.ts';
import { SALE_CARRIERS_MAX } from '../rules.ts';
import type { FoundHop } from '../trail.ts';

/** The largest transactions, which say what a hop was: first the one that it is shown by. */
export const pickCarriers = ({ carriers }: Pick<FoundHop, 'carriers'>): readonly Arrival[] =>
  carriers.toSorted(largestFirst).slice(0, SALE_CARRIERS_MAX);
