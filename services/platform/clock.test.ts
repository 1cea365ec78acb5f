import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('the system clock says what the machine says, each time it is asked', () => {
  vi.useFakeTimers({ now: 1_000 });
  expect(systemClock.nowUnixMs()).toBe(1_000);
  vi.setSystemTime(2_000);
  expect(systemClock.nowUnixMs()).toBe(2_000);
});
