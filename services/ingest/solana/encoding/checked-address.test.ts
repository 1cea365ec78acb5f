import { expect, test } from 'vitest';
import { TransactionFormatError } from '../transaction-format-error.ts';
import { checkedAddress, isAddress } from './checked-address.ts';

const LONGEST = 'z'.repeat(44);

test('an address is 32 to 44 characters of base 58', () => {
  expect(['1'.repeat(32), LONGEST, 'So11111111111111111111111111111111111111112'].every(isAddress)).toBe(
    true,
  );
  for (const length of [0, 31, 45]) expect(isAddress('z'.repeat(length))).toBe(false);
  for (const stranger of ['0', 'O', 'I', 'l', ' ', '\n', 'é', '"'])
    for (const text of [stranger + LONGEST.slice(1), LONGEST.slice(1) + stranger])
      expect(isAddress(text)).toBe(false);
  for (const value of [null, undefined, 7, [LONGEST]]) expect(isAddress(value)).toBe(false);
});

test('what is no address is refused every time, also right after one that is', () => {
  expect(checkedAddress(LONGEST)).toBe(LONGEST);
  for (let time = 0; time < 2; time++)
    expect(() => checkedAddress(`${LONGEST}z`)).toThrow(TransactionFormatError);
});
