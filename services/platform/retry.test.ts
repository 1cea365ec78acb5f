import { expect, test } from 'vitest';
import { VirtualTime } from '../testing/simulation/virtual-time.ts';
import { retryForever, SlowError } from './retry.ts';

test('an attempt that neither works nor fails is told while it goes on, and its end, too', async () => {
  const time = new VirtualTime(0);
  const restore = time.install();
  const told: [at: number, what: unknown][] = [];
  try {
    const answer = retryForever(() => time.sleep(60_000).then(() => 'stored'), {
      signal: new AbortController().signal,
      slowAfterMs: 8_000,
      onWait: (error) => void told.push([time.nowMs, error]),
      onRecovered: () => void told.push([time.nowMs, 'recovered']),
    });
    expect(await time.drive(answer)).toBe('stored');
  } finally {
    restore();
  }
  expect(told).toEqual([
    [8_000, expect.any(SlowError)],
    [60_000, 'recovered'],
  ]);
});

test('an attempt that is quick enough is told of to nobody', async () => {
  const told: unknown[] = [];
  const answer = await retryForever(async () => 'stored', {
    ...{ signal: new AbortController().signal, slowAfterMs: 8_000 },
    ...{ onWait: (error) => void told.push(error), onRecovered: () => void told.push('recovered') },
  });
  expect([answer, told]).toEqual(['stored', []]);
});
