import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMemoBinder } from '../../payments/offer/bind-request.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openSecret } from './open-secret.ts';

const TERMS = ['request', 'price', 'receiver'];

test.each([
  ['machines that were given one secret', Buffer.alloc(32, 7), true],
  ['machines with data folders of their own', null, false],
])('%s: whether what one offers for payment is known by the other', (_, configured, isKnown) => {
  const [one, other] = [temporaryFolder(), temporaryFolder()].map((folder) =>
    createMemoBinder(openSecret(folder, 'payment-secret', configured)),
  );
  const memo = one?.bind(TERMS, 1_000);
  expect(one?.check(memo, TERMS)).toBe(1_000);
  expect(other?.check(memo, TERMS)).toBe(isKnown ? 1_000 : null);
});

test('processes on one folder share a secret, each purpose has its own, and half of one is refused', () => {
  const folder = temporaryFolder();
  for (const configured of [null, Buffer.alloc(32, 7)]) {
    const payment = openSecret(folder, 'payment-secret', configured);
    expect(payment).toHaveLength(32);
    expect(openSecret(folder, 'payment-secret', configured)).toEqual(payment);
    expect(openSecret(folder, 'sign-in-secret', configured)).not.toEqual(payment);
  }
  writeFileSync(`${folder}/payment-secret`, Buffer.alloc(16));
  expect(() => openSecret(folder, 'payment-secret', null)).toThrow('damaged');
});
