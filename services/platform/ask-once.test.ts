import { expect, test } from 'vitest';
import { askOnce } from './ask-once.ts';

test('an engine that does not answer is asked once, by however many, and each of them is told that it is silent', async () => {
  let asked = 0;
  const answers = Promise.withResolvers<string>();
  const ask = askOnce(() => {
    asked += 1;
    return answers.promise;
  }, 5);
  expect(await Promise.all([ask(), ask()])).toEqual([null, null]);
  expect(await ask()).toBeNull();
  answers.resolve('back');
  expect(await ask()).toBe('back');
  expect(asked).toBe(1);
  expect(await ask()).toBe('back');
  expect(asked).toBe(2);
});

test('a failure reaches everybody who asked, and the next one asks anew', async () => {
  const outcomes = [Promise.reject(new Error('refused')), Promise.resolve('fine')];
  const ask = askOnce(() => outcomes.shift() ?? Promise.reject(new Error('asked too often')), 1_000);
  expect(await Promise.allSettled([ask(), ask()])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ]);
  expect(await ask()).toBe('fine');
});
