import { expect, test } from 'vitest';
import { CLOCKS_APART_MS, USABLE_MS } from './sign-in-message.ts';
import { SESSION_MS, SIGN_INS_MAX, SignedIn } from './signed-in.ts';

const MANY = 100_000;
const open = (signedIn: SignedIn, at: number, nonce = `${at}`) =>
  signedIn.open(`hash ${at}`, nonce, { accountId: 'a', expiresUnixMs: at + SESSION_MS }, at);

test('of two sessions with one nonce the first counts, until no clock takes its challenge any more', () => {
  const signedIn = new SignedIn();
  open(signedIn, 1, 'nonce');
  for (const at of [2, USABLE_MS]) open(signedIn, at, 'nonce');
  expect([1, 2, USABLE_MS].map((at) => signedIn.find(`hash ${at}`, at)?.accountId)).toEqual([
    'a',
    undefined,
    undefined,
  ]);
  expect(signedIn.isUnused({ nonce: 'nonce', issuedUnixMs: 1 })).toBe(false);
  expect(signedIn.find('hash 1', 1 + SESSION_MS)).toBeNull();
});

test('an account signs in so many times within the length of a session, those that it ended among them, and others as often', () => {
  const signedIn = new SignedIn();
  for (let at = 1; at <= SIGN_INS_MAX; at++) {
    expect(signedIn.mayOpen('a', at)).toBe(true);
    open(signedIn, at);
    signedIn.end(`hash ${at}`);
    expect(signedIn.find(`hash ${at}`, at)).toBeNull();
  }
  expect(signedIn.mayOpen('a', SESSION_MS)).toBe(false);
  expect(signedIn.mayOpen('b', SESSION_MS)).toBe(true);
  expect(signedIn.mayOpen('a', SESSION_MS + 1)).toBe(true);
});

test('of more sign-ins than there is room for the oldest sessions end, and a challenge that was forgotten stays used', () => {
  const signedIn = new SignedIn();
  for (let at = 1; at <= MANY + 1; at++) open(signedIn, at);
  expect(signedIn.find('hash 1', MANY)).toBeNull();
  expect(signedIn.find('hash 2', MANY)).not.toBeNull();
  // Issued by whichever clock: as late as the one that let it in could allow.
  for (const issuedUnixMs of [0, 1, 1 + CLOCKS_APART_MS])
    expect(signedIn.isUnused({ nonce: '1', issuedUnixMs })).toBe(false);
  expect(signedIn.isUnused({ nonce: 'new', issuedUnixMs: 2 + CLOCKS_APART_MS })).toBe(true);
});
