import { eachInTurns } from './give-way.ts';

export type Heap<T> = {
  readonly size: () => number;
  readonly push: (item: T) => void;
  /** Takes out the first in order; `undefined` if there is none. */
  readonly pop: () => T | undefined;
  readonly items: () => readonly T[];
};

/** A binary heap: what comes first by `compare` is taken out first. */
export const createHeap = <T>(compare: (a: T, b: T) => number): Heap<T> => {
  const heap: T[] = [];
  const isBefore = (a: number, b: number): boolean => compare(heap[a] as T, heap[b] as T) < 0;
  const swap = (a: number, b: number): void => {
    [heap[a], heap[b]] = [heap[b] as T, heap[a] as T];
  };
  const rise = (from: number): void => {
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1;
      if (!isBefore(at, above)) return;
      swap(at, above);
      at = above;
    }
  };
  const sink = (): void => {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      if (left < heap.length && isBefore(left, first)) first = left;
      if (right < heap.length && isBefore(right, first)) first = right;
      if (first === at) return;
      swap(at, first);
      at = first;
    }
  };
  return {
    size: () => heap.length,
    items: () => heap,
    push: (item) => {
      heap.push(item);
      rise(heap.length - 1);
    },
    pop: () => {
      const first = heap[0];
      const last = heap.pop();
      if (heap.length > 0) {
        heap[0] = last as T;
        sink();
      }
      return first;
    },
  };
};

/** The first `most` of all, in no order. */
export const firstOf = async <T>(
  items: Iterable<T>,
  most: number,
  compare: (a: T, b: T) => number,
): Promise<readonly T[]> => {
  const lastFirst = createHeap<T>((a, b) => compare(b, a));
  await eachInTurns(items, (item) => {
    lastFirst.push(item);
    if (lastFirst.size() > most) lastFirst.pop();
  });
  return lastFirst.items();
};
