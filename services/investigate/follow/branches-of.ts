import type { Branch, TrailEnd } from './trail.ts';

/** Payments that an end names: where the money split, or what little left a wallet where it rests. */
export const branchesOf = <Evidence extends { signature: unknown }>(
  end: TrailEnd<Evidence>,
): readonly Branch<Evidence>[] => {
  switch (end.reason) {
    case 'split':
      return end.branches;
    case 'at_rest':
    case 'no_data':
      return end.others ?? [];
    default:
      return [];
  }
};
