import { expect, test } from 'vitest';
import {
  closeAccount,
  createAccount,
  giveAway,
  initializeAccount3,
  keyOf,
  RENT,
  syncNative,
  tokenTransfer,
  WRAPPED_SOL,
} from '../../testing/solana/build-transaction.ts';
import { payer, rowsOf, SOL, wrapped } from '../../testing/solana/tell-rows.ts';

/** A program pays out of an account of its own into any other, and no instruction says so. */
const callProgram = { program: keyOf('dex'), accounts: [], data: Uint8Array.of(1) };
const pool = { name: 'pool', before: 11n * SOL, after: SOL };
const bob = wrapped('bob tokens', 'bob', 0n, 10n * SOL);
const payOn = [callProgram, syncNative('temp'), tokenTransfer('temp', 'bob tokens', 'alice', 10n * SOL)];
const open = [createAccount('alice', 'temp', RENT), initializeAccount3('temp', WRAPPED_SOL, 'alice')];

test.each([
  ['of the transaction', null, open, RENT],
  ['from before', 0n, [], 0n],
])(
  'what a program paid into a wrapped account %s was never whose who got its rent when it was closed',
  (_, amountBefore, opening, spent) => {
    const accounts = [
      payer(5n * SOL, spent),
      pool,
      { name: 'carol', before: SOL, after: SOL + RENT },
      bob,
      wrapped('temp', 'alice', amountBefore, null),
    ];
    const instructions = [...opening, ...payOn, closeAccount('temp', 'carol', 'alice')];
    expect(rowsOf({ accounts, instructions }).slice(opening.length > 0 ? 1 : 0)).toEqual([
      'transfer alice -> bob 10000000000 native',
      `rent nobody -> carol ${RENT} native`,
      'program pool -> alice 10000000000 native',
    ]);
  },
);

test('nor was it whose the wrapped account is by now', () => {
  const temp = { ...wrapped('temp', 'alice', 0n, 0n), ownerAfter: 'carol' };
  const accounts = [payer(5n * SOL, 0n), pool, bob, temp];
  expect(rowsOf({ accounts, instructions: [...payOn, giveAway('temp', 'alice', 'carol')] })).toEqual([
    'transfer alice -> bob 10000000000 native',
    'program pool -> alice 10000000000 native',
  ]);
});
