import { expect, test } from 'vitest';
import { wholeNumber } from './number-options.ts';
import { UsageError } from './run-chosen.ts';

test('an option that is no whole number, or too small, is wrong usage that names it', () => {
  expect(wholeNumber('transfers', '1000')).toBe(1_000);
  for (const text of ['abc', '', '-5', '1.5', '1e6', '0', 'NaN', '99999999999999999999'])
    expect(() => wholeNumber('transfers', text), text).toThrow(UsageError);
  expect(() => wholeNumber('transfers', '999', 1_000)).toThrow('--transfers');
});
