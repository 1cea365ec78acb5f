import { expect, test } from 'vitest';
import {
  closeAccount,
  createAccount,
  initializeAccount3,
  join,
  RENT,
  TOKEN,
  tokenTransfer,
  u64,
  WRAPPED_SOL,
} from '../../testing/solana/build-transaction.ts';
import { holding, payer, rowsOf, SOL } from '../../testing/solana/tell-rows.ts';

/** One address that is several token accounts in turn, within one transaction. */

const THOUSAND = 1_000n * SOL;
const paidRent = [`rent alice -> nobody ${RENT} native`, `rent nobody -> bob ${RENT} native`];
const openAndClose = [
  createAccount('alice', 'temp', RENT),
  initializeAccount3('temp', WRAPPED_SOL, 'alice'),
  closeAccount('temp', 'bob', 'alice'),
];

test('what an account of another mint held at an address before is never paid out as wrapped SOL', () => {
  const accounts = [
    payer(5n * SOL, 0n),
    { name: 'temp', mint: 'mint', owner: 'alice', before: RENT, after: 0n, amountBefore: THOUSAND },
    holding('alice tokens', 'alice', 0n, THOUSAND),
    { name: 'bob', before: SOL, after: SOL + RENT },
  ];
  const instructions = [
    tokenTransfer('temp', 'alice tokens', 'alice', THOUSAND),
    closeAccount('temp', 'alice', 'alice'),
    ...openAndClose,
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `transfer alice -> alice ${THOUSAND} mint`,
    `rent nobody -> alice ${RENT} native`,
    ...paidRent,
  ]);
});

test('what an account of another mint holds at an address after is never paid out as wrapped SOL', () => {
  const accounts = [
    payer(5n * SOL, 2n * RENT),
    { name: 'temp', mint: 'mint', owner: 'alice', before: 0n, after: RENT, amountAfter: THOUSAND },
    { name: 'bob', before: SOL, after: SOL + RENT },
  ];
  const instructions = [
    ...openAndClose,
    createAccount('alice', 'temp', RENT),
    initializeAccount3('temp', 'mint', 'alice'),
    { program: TOKEN, accounts: ['mint', 'temp', 'alice'], data: join([7], u64(THOUSAND)) },
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    ...paidRent,
    `rent alice -> nobody ${RENT} native`,
    `mint nobody -> alice ${THOUSAND} mint`,
  ]);
});
