import type { Branch, TrailEnd } from '../trail.ts';

/** Payments that an end names: where the money split, or what left beside what ends the trail. */
export const branchesOf = <Evidence extends { signature: unknown }>(
  end: TrailEnd<Evidence>,
): readonly Branch<Evidence>[] =>
  end.reason === 'split' ? end.branches : ('others' in end && end.others) || [];
