/**
 * The index of the first item that is reached; the length if none is. All reached items come last, so a binary search finds it: a page of a
 * busy wallet holds a thousand rows.
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
