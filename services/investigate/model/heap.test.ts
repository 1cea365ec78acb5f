import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeap, firstOf } from './heap.ts';
import { sortInTurns } from './sort-in-turns.ts';

const byValue = (a: number, b: number): number => a - b;

test('a heap gives its items back in order, whatever is put in meanwhile', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(50))), (batches) => {
      const heap = createHeap(byValue);
      let inside: number[] = [];
      for (const batch of batches) {
        for (const item of batch) heap.push(item);
        inside = [...inside, ...batch].sort(byValue);
        expect(heap.pop()).toBe(inside.shift());
      }
      while (heap.size() > 0) expect(heap.pop()).toBe(inside.shift());
      expect(heap.pop()).toBeUndefined();
    }),
  );
});

test('the first of many are those that sorting puts first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50)), fc.nat(20), async (items, most) => {
      const first = [...(await firstOf(items, most, byValue))].sort(byValue);
      expect(first).toEqual(items.toSorted(byValue).slice(0, most));
    }),
  );
});

test('sorting in turns keeps the order of equal items, as sorting does', async () => {
  for (const count of [0, 1, 1_999, 2_000, 2_001, 9_000]) {
    const items = Array.from({ length: count }, (_, at) => ({ at, key: (at * 7_919) % 50 }));
    const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
    expect(await sortInTurns(items, compare)).toEqual(items.toSorted(compare));
  }
});
