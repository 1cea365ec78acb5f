import { expect, test } from 'vitest';
import {
  closeAccount,
  join,
  RENT,
  syncNative,
  TOKEN,
  tokenTransfer,
  u64,
} from '../../testing/solana/build-transaction.ts';
import { payer, rowsOf, SOL, wrapped } from '../../testing/solana/tell-rows.ts';

/** Lamports that lie in a wrapped account before the transaction, not taken up as its amount yet. */

const CHEAP_RENT = 293n * 1_000n;

/** Takes them up, pays all of it on and closes the account to somebody else. */
const passOn = (rent: bigint) => ({
  accounts: [
    payer(5n * SOL, 0n),
    { ...wrapped('temp', 'alice', 0n, null), before: rent + SOL },
    wrapped('bob tokens', 'bob', 0n, SOL),
    { name: 'carol', before: SOL, after: SOL + rent },
  ],
  instructions: [
    syncNative('temp'),
    tokenTransfer('temp', 'bob tokens', 'alice', SOL),
    closeAccount('temp', 'carol', 'alice'),
  ],
});

test('what is taken up, paid on and no more there in the end leaves only the rent of the account', () => {
  expect(rowsOf(passOn(RENT))).toEqual([
    `rent nobody -> alice ${SOL} native`,
    'transfer alice -> bob 1000000000 native',
    `rent nobody -> carol ${RENT} native`,
  ]);
});

test('what is taken up and closed is paid out as wrapped SOL', () => {
  const { accounts } = passOn(RENT);
  const closing = accounts
    .filter(({ name }) => name !== 'bob tokens')
    .map((account) => (account.name === 'carol' ? { ...account, after: 2n * SOL + RENT } : account));
  const instructions = [syncNative('temp'), closeAccount('temp', 'carol', 'alice')];
  expect(rowsOf({ accounts: closing, instructions })).toEqual([
    `rent nobody -> alice ${SOL} native`,
    `rent nobody -> carol ${RENT} native`,
    'transfer alice -> carol 1000000000 native',
  ]);
});

test('an account whose rent is lower than any that the block shows pays on all that it held', () => {
  const short = RENT - CHEAP_RENT;
  expect(rowsOf(passOn(CHEAP_RENT))).toEqual([
    `rent nobody -> alice ${SOL - short} native`,
    `rent nobody -> alice ${short} native`,
    'transfer alice -> bob 1000000000 native',
    `rent nobody -> carol ${CHEAP_RENT} native`,
  ]);
});

test('an account whose rent is lower than any that the block shows unwraps all that it held', () => {
  const short = RENT - CHEAP_RENT;
  const accounts = [
    payer(5n * SOL, 0n),
    { ...wrapped('temp', 'alice', 0n, null), before: CHEAP_RENT + SOL },
    { name: 'bob', before: 0n, after: SOL },
    { name: 'carol', before: SOL, after: SOL + CHEAP_RENT },
  ];
  const unwrapping = { program: TOKEN, accounts: ['temp', 'bob', 'alice'], data: join([45, 1], u64(SOL)) };
  const instructions = [syncNative('temp'), unwrapping, closeAccount('temp', 'carol', 'alice')];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `rent nobody -> alice ${SOL - short} native`,
    `rent nobody -> alice ${short} native`,
    'transfer alice -> bob 1000000000 native',
    `rent nobody -> carol ${CHEAP_RENT} native`,
  ]);
});
