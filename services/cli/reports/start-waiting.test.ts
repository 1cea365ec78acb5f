import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whileWaiting } from './start-waiting.ts';

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'performance'] });
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const takes = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms));

test('work that is done in a moment says nothing', async () => {
  const done = whileWaiting('opening the store', takes(4_000));
  await vi.advanceTimersByTimeAsync(20_000);
  await done;
  expect(lines).toEqual([]);
});

test('longer work says what it does and for how long, every few seconds until it ends', async () => {
  let events = 0;
  const done = whileWaiting(() => `${++events} events compared`, takes(13_000));
  await vi.advanceTimersByTimeAsync(60_000);
  await done;
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(lines[0]).toMatch(/^\d+ events compared, 5 s\n$/);
  expect(lines.at(-1)).toMatch(/^\d+ events compared, 1\d s\n$/);
});
