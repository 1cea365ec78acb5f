import { expect, test } from 'vitest';
import { createAnswerBudget } from './answer-budget.ts';

const NEVER = new AbortController().signal;
const MIB = 1 << 20;

const settle = () => new Promise(setImmediate);

/** Requests that are answered when a test says so. */
const openRequests = (bytesMax: number) => {
  const budget = createAnswerBudget(bytesMax);
  const running: ((bytes: number) => void)[] = [];
  const ask = (kind: string, signal = NEVER) =>
    budget.run(
      kind,
      signal,
      (received) =>
        new Promise<number>((resolve) => {
          running.push((bytes) => {
            received(bytes);
            resolve(bytes);
          });
        }),
    );
  const answer = async (bytes: number) => {
    running.shift()?.(bytes);
    await settle();
  };
  return { ask, answer, running };
};

test('so many requests run at once as answers of the size last seen have room', async () => {
  const { ask, answer, running } = openRequests(10 * MIB);
  const asked = Array.from({ length: 12 }, () => ask('getBlock'));
  await settle();
  // Nothing is known of the first answers: 4 MiB are set aside for each.
  expect(running).toHaveLength(2);
  await answer(MIB / 2);
  expect(running.length).toBeLessThanOrEqual(2);
  while (running.length > 0) await answer(MIB / 2);
  expect(await Promise.all(asked)).toHaveLength(12);
  for (let i = 0; i < 40; i++) {
    const one = ask('getBlock');
    await settle();
    await answer(MIB / 2);
    await one;
  }
  const small = Array.from({ length: 30 }, () => ask('getBlock'));
  await settle();
  expect(running).toHaveLength(20);
  while (running.length > 0) await answer(1);
  await Promise.all(small);
});

test('an answer larger than all that is allowed comes alone', async () => {
  const { ask, answer, running } = openRequests(10 * MIB);
  const first = ask('trace');
  await settle();
  await answer(50 * MIB);
  await first;
  const two = [ask('trace'), ask('trace')];
  await settle();
  expect(running).toHaveLength(1);
  await answer(1);
  expect(running).toHaveLength(1);
  await answer(1);
  await Promise.all(two);
});

test('a large request has its turn, however many small ones are asked beside it', async () => {
  const { ask, answer } = openRequests(10 * MIB);
  const first = ask('trace');
  await settle();
  await answer(10 * MIB);
  await first;
  void ask('head');
  let isAnswered = false;
  void ask('trace').then(() => {
    isAnswered = true;
  });
  for (let i = 0; i < 20; i++) {
    // One more begins, where it may, before the oldest ends.
    void ask('head');
    await settle();
    await answer(1);
  }
  expect(isAnswered).toBe(true);
});

test('an answer that is larger than expected holds the others back while it comes', async () => {
  const budget = createAnswerBudget(10 * MIB);
  let end = (): void => {};
  const large = budget.run('a', NEVER, async (received) => {
    received(9 * MIB);
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  await settle();
  let hasBegun = false;
  const next = budget.run('b', NEVER, async () => {
    hasBegun = true;
  });
  await settle();
  expect(hasBegun).toBe(false);
  end();
  await Promise.all([large, next]);
  expect(hasBegun).toBe(true);
});

test('a failed request gives its room back, and one that waits can be stopped', async () => {
  const { ask, running } = openRequests(MIB);
  const budgetOfOne = createAnswerBudget(MIB);
  await expect(budgetOfOne.run('a', NEVER, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await budgetOfOne.run('a', NEVER, async () => {});
  void ask('a');
  await settle();
  const stopping = new AbortController();
  const waiting = ask('a', stopping.signal);
  stopping.abort();
  await expect(waiting).rejects.toThrow();
  expect(running).toHaveLength(1);
});
