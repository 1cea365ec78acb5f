import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PartitionRange } from './event-log.ts';
import { watchEnd } from './watch-end.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A reader of one partition, and a log that answers when it is told to. */
const start = () => {
  let [held, answers] = [0, true];
  let [begin, end] = [0, 0];
  const asked: (() => void)[] = [];
  const watch = watchEnd({
    log: {
      ranges: (topic) =>
        new Promise<PartitionRange[]>((resolve) => {
          const answer = (): void => resolve([{ topic, partition: 0, begin, end }]);
          if (answers) answer();
          else asked.push(answer);
        }),
    },
    topic: 'accounts',
    currentAtMs: performance.now(),
    hasAll: (ranges) => ranges.every((range) => range.begin === range.end || range.end <= held),
    onError: (error) => expect.unreachable(String(error)),
  });
  return {
    watch,
    write: () => {
      end += 1;
    },
    read: () => {
      held = end;
      watch.look();
    },
    forget: () => {
      begin = end;
    },
    silence: () => {
      answers = false;
    },
    speak: () => {
      answers = true;
      for (const answer of asked.splice(0)) answer();
    },
  };
};
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a quiet topic is known as it is now, and a log that does not answer as it was when it last did', async () => {
  const { watch, silence, speak } = start();
  await pass(60_000);
  expect(watch.ageMs()).toBeLessThan(500);
  silence();
  await pass(5_000);
  expect(watch.ageMs()).toBeGreaterThan(4_500);
  speak();
  await pass(1_000);
  expect(watch.ageMs()).toBeLessThan(500);
  watch.stop();
});

test('a reader that stands still behind the end is as old as the end that it had reached', async () => {
  const { watch, write, read } = start();
  await pass(1_000);
  write();
  await pass(5_000);
  expect(watch.ageMs()).toBeGreaterThan(4_500);
  read();
  await pass(500);
  expect(watch.ageMs()).toBeLessThan(500);
  watch.stop();
});

test('an end that the log forgot before it was reached makes nobody old for ever', async () => {
  const { watch, write, forget } = start();
  write();
  await pass(1_000);
  forget();
  await pass(60_000);
  expect(watch.ageMs()).toBeLessThan(500);
  watch.stop();
});
