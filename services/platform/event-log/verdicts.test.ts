import { expect, test } from 'vitest';
import { Verdicts } from './verdicts.ts';

test('a writer finds what was read since it began, also before it knew which record is its own', async () => {
  const verdicts = new Verdicts<boolean>();
  verdicts.put('0:0', true);
  await verdicts.during(async () => {
    verdicts.put('0:1', false);
    await verdicts.during(async () => verdicts.put('0:2', true));
    expect([verdicts.get('0:0'), verdicts.get('0:1'), verdicts.get('0:2')]).toEqual([undefined, false, true]);
  });
  expect(verdicts.size).toBe(0);
});

test('where some write all the time, no more is kept than was read while the oldest of them waits', async () => {
  const verdicts = new Verdicts<boolean>();
  let finish = (): void => {};
  for (let record = 0; record < 1_000; record++) {
    const last = finish;
    const begun = Promise.withResolvers<void>();
    const writing = verdicts.during(() => begun.promise);
    verdicts.put(`0:${record}`, true);
    finish = begun.resolve;
    // The next one has begun before the last one ends.
    last();
    await Promise.race([writing, new Promise(setImmediate)]);
    expect(verdicts.size).toBeLessThanOrEqual(2);
  }
});
