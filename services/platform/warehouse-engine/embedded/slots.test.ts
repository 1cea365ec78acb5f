import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

const never = new AbortController().signal;

test('no more run at a time than there are slots, and who waits is served in order', async () => {
  const slots = new Slots('query', 2, 10);
  const order: number[] = [];
  const releases = [await slots.take(never), await slots.take(never)];
  const waiting = [1, 2, 3].map(async (n) => {
    const release = await slots.take(never);
    order.push(n);
    return release;
  });
  await Promise.resolve();
  expect(order).toEqual([]);
  releases[0]?.();
  const first = await waiting[0];
  expect(order).toEqual([1]);
  // Giving a slot back twice frees it once.
  releases[0]?.();
  await Promise.resolve();
  expect(order).toEqual([1]);
  releases[1]?.();
  first?.();
  for (const release of await Promise.all(waiting)) release();
  expect(order).toEqual([1, 2, 3]);
  expect(slots.busy).toBe(0);
});

test('who comes when too many wait is refused with error 202', async () => {
  const slots = new Slots('query', 1, 1);
  const release = await slots.take(never);
  const waits = slots.take(never);
  await expect(slots.take(never)).rejects.toMatchObject({ code: 202, type: 'TOO_MANY_SIMULTANEOUS_QUERIES' });
  release();
  (await waits)();
});

test('who leaves while waiting takes no slot', async () => {
  const slots = new Slots('query', 1, 5);
  const release = await slots.take(never);
  const leave = new AbortController();
  const gone = slots.take(leave.signal);
  leave.abort(new Error('went away'));
  await expect(gone).rejects.toThrow('went away');
  release();
  expect(slots.busy).toBe(0);
  await expect(slots.take(leave.signal)).rejects.toThrow('went away');
});
