export type EarliestOfSize = {
  /** The index of the first remaining amount within these bounds; null when there is none. */
  readonly find: (leastRaw: bigint, mostRaw: bigint) => number | null;
  readonly remove: (at: number) => void;
};

/**
 * Finds amounts in logarithmic time. A segment tree over the amounts, sorted by size, holds the smallest
 * index of each range.
 */
export const createEarliestOfSize = (amountsRaw: readonly bigint[]): EarliestOfSize => {
  const amountAt = (at: number): bigint => amountsRaw[at] ?? 0n;
  const bySize = [...amountsRaw.keys()].sort((a, b) => compare(amountAt(a), amountAt(b)) || a - b);
  const size = bySize.length;
  const ranks = new Map(bySize.map((at, rank) => [at, rank]));
  const tree = [...new Array<number>(size).fill(Infinity), ...bySize];
  const leastOf = (node: number): number => tree[node] ?? Infinity;
  const join = (node: number): void => {
    tree[node] = Math.min(leastOf(2 * node), leastOf(2 * node + 1));
  };
  for (let node = size - 1; node > 0; node -= 1) join(node);

  /** The number of remaining amounts below the bound. */
  const countBelow = (isBelow: (raw: bigint) => boolean): number => {
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBelow(amountAt(bySize[middle] ?? 0))) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    find: (leastRaw, mostRaw) => {
      let [from, to] = [
        countBelow((raw) => raw < leastRaw) + size,
        countBelow((raw) => raw <= mostRaw) + size,
      ];
      let least = Infinity;
      for (; from < to; from >>= 1, to >>= 1) {
        if (from & 1) least = Math.min(least, leastOf(from++));
        if (to & 1) least = Math.min(least, leastOf(--to));
      }
      return least === Infinity ? null : least;
    },
    remove: (at) => {
      let node = (ranks.get(at) ?? 0) + size;
      tree[node] = Infinity;
      for (node >>= 1; node > 0; node >>= 1) join(node);
    },
  };
};

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
