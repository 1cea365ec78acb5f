/**
 * Where those items begin that are reached, which all come behind those that are not; their number where none is. By halves: a
 * page of a busy wallet holds a thousand on either side.
 */
export const firstIndex = <T>(items: readonly T[], isReached: (item: T) => boolean): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && !isReached(item)) low = middle + 1;
    else high = middle;
  }
  return low;
};
