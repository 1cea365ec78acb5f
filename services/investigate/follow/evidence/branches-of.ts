import type { Branch, TrailEnd } from '../trail.ts';

/** Payments that an end names: where the money split, or what left beside what ends the trail. */
export const branchesOf = <Evidence extends { signature: unknown }>(
  end: TrailEnd<Evidence>,
): readonly Branch<Evidence>[] => {
  switch (end.reason) {
    case 'split':
      return end.branches;
    case 'at_rest':
    case 'no_data':
    case 'dex_swap':
      return end.others ?? [];
    default:
      return [];
  }
};
