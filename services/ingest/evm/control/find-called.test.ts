import { expect, test } from 'vitest';
import { createAddressBook } from '../address-book.ts';
import { findCalled } from './find-called.ts';

const TO = `0x${'11'.repeat(20)}`;
const INPUT = '0x01020304';
const LISTED = [
  { address: TO, storageKeys: [TO, TO] },
  { address: TO, storageKeys: [] },
];
/** For four bytes of input that are not zero. */
const SENT = 21_000 + 4 * 16;

const called = (gas: number, more: object = {}, hasLogs = false): string | null =>
  findCalled(
    { tx: { to: TO, input: INPUT, ...more }, receipt: { gasUsed: `0x${gas.toString(16)}` } },
    createAddressBook(),
    hasLogs,
  );

test.each([
  ['input', SENT, {}],
  ['input at the floor price', 21_000 + 4 * 40, {}],
  ['an access list', SENT + 2 * 2_400 + 2 * 1_900, { accessList: LISTED }],
  ['authorizations', SENT + 2 * 25_000, { authorizationList: [{}, {}] }],
  [
    'authorizations of wallets that exist',
    SENT + 25_000 - Math.floor((SENT + 25_000) / 5),
    { authorizationList: [{}] },
  ],
] as const)('a transaction that paid only for %s called nobody', (_, gas, more) => {
  expect(called(gas, more)).toBeNull();
  expect(called(gas + 1, more)).toBe(TO);
  expect(called(gas, more, true)).toBe(TO);
});
