import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HeldBlocks } from './held-blocks.ts';

const heads = (...numbers: number[]) =>
  numbers.map((blockNumber) => ({
    chain: 'base',
    blockNumber,
    blockHash: `h${blockNumber}`,
    part: 0,
    parts: 1,
  }));

test('two batches with a block in common are never stored at the same time; others are', async () => {
  const held = new HeldBlocks();
  const now = new Set<number>();
  let together = 0;
  const store = (numbers: number[]) =>
    held.hold(heads(...numbers), async () => {
      for (const number of numbers) {
        expect(now.has(number)).toBe(false);
        now.add(number);
      }
      together = Math.max(together, now.size);
      await sleep(1);
      for (const number of numbers) now.delete(number);
    });
  await Promise.all([store([1, 2]), store([2, 3]), store([3, 1]), store([4, 5]), store([1, 2, 3, 4, 5])]);
  expect(together).toBeGreaterThan(2);
});

test('a batch that fails gives its blocks back', async () => {
  const held = new HeldBlocks();
  await expect(held.hold(heads(1), () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(await held.hold(heads(1), async () => 'stored')).toBe('stored');
});
