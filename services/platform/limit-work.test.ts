import { expect, test } from 'vitest';
import { limitWork, WorkTooLongError } from './limit-work.ts';

test('work that would never end is stopped, and other work gives what it gives and throws what it throws', () => {
  const endless = (): never => {
    for (;;);
  };
  expect(() => limitWork(endless, 50)).toThrow(WorkTooLongError);
  expect(limitWork(() => [1, 2], 60_000)).toEqual([1, 2]);
  const wrong = new TypeError('wrong');
  expect(() =>
    limitWork(() => {
      throw wrong;
    }, 60_000),
  ).toThrow(wrong);
});
