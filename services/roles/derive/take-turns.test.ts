import { expect, test } from 'vitest';
import { VirtualTime } from '../../testing/simulation/virtual-time.ts';
import { takeTurns } from './take-turns.ts';

const HOUR_MS = 3_600_000;
const WORK_MS = 1_000;

test('work rests by what it took, however long the engine was away before', async () => {
  const time = new VirtualTime(0);
  const restore = time.install();
  const began: number[] = [];
  const stopping = new AbortController();
  try {
    const turns = takeTurns(
      async () => {
        if (time.nowMs < HOUR_MS) throw new Error('the engine is away');
        began.push(time.nowMs);
        if (began.length === 3) stopping.abort();
        await time.sleep(WORK_MS);
      },
      {
        pace: { everyMs: 100, percent: 20 },
        ...{ signal: stopping.signal, onWait: () => {}, nowMs: () => time.nowMs },
      },
    );
    await time.drive(turns.catch(() => {}));
  } finally {
    restore();
  }
  const [first = 0, second = 0, third = 0] = began;
  expect(first).toBeGreaterThanOrEqual(HOUR_MS);
  // A second of work, and four of rest.
  expect([second - first, third - second]).toEqual([5 * WORK_MS, 5 * WORK_MS]);
});
