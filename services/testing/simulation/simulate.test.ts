import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { openCodecs } from './open-codecs.ts';
import { simulate } from './simulate.ts';
import { testHistories } from './test-histories.ts';

testHistories(20);

test('the same seed gives the same history, event by event', async () => {
  const codecs = await openCodecs(temporaryFolder());
  const traces = new Set<string>();
  for (const seed of [11, 12, 13]) {
    const { trace } = await simulate(seed, { codecs });
    expect((await simulate(seed, { codecs })).trace).toBe(trace);
    traces.add(trace);
  }
  expect(traces.size).toBe(3);
});
