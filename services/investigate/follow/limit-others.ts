import { largestFirst } from '../model/amount.ts';
import { OTHERS_PER_TRAIL_MAX } from './rules.ts';
import type { FoundHop } from './trail.ts';

/** Keeps the largest of what left beside a whole trail. */
export const limitOthers = (hops: readonly FoundHop[]): readonly FoundHop[] => {
  const largest = hops.flatMap(({ others }) => others).sort(largestFirst);
  const kept = new Set(largest.slice(0, OTHERS_PER_TRAIL_MAX));
  return hops.map((hop) => ({ ...hop, others: hop.others.filter((other) => kept.has(other)) }));
};
