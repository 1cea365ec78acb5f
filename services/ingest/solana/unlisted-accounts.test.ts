import { expect, test } from 'vitest';
import {
  block,
  createAccount,
  FEE,
  join,
  keyBytes,
  keyOf,
  type TestAccount,
  type TestInstruction,
  TOKEN_2022,
  transaction,
  u64,
} from '../../testing/solana/build-transaction.ts';
import { decode, SOL, told } from '../../testing/solana/tell-rows.ts';

/** Token accounts of Token-2022 are this large at least: their owner cannot change. */
const ACCOUNT_RENT = (170n + 128n) * 6_960n;
/** And mints that can be closed. */
const MINT_RENT = (202n + 128n) * 6_960n;

const call = (accounts: readonly string[], ...data: readonly (Uint8Array | readonly number[])[]) => ({
  program: TOKEN_2022,
  accounts,
  data: join(...data),
});
const burn = call(['alice tokens', 'mint', 'alice'], [8], u64(700n));
const closeMint = call(['mint', 'alice', 'alice'], [9]);
const openMint = call(['mint'], [20, 6], keyBytes('alice'), [0]);
const openAccount = call(['alice tokens', 'mint'], [18], keyBytes('alice'));
const closeAccount = call(['alice tokens', 'alice', 'alice'], [9]);
const mintTo = call(['mint', 'alice tokens', 'alice'], [7], u64(50n));

const alice = (gained: bigint): TestAccount => ({ name: 'alice', before: SOL, after: SOL - FEE + gained });
const tokens = (over: Partial<TestAccount>): TestAccount => ({
  ...{ name: 'alice tokens', mint: 'mint', owner: 'alice', before: ACCOUNT_RENT, after: ACCOUNT_RENT },
  ...over,
});
const mint = (before: bigint, after: bigint): TestAccount => ({ name: 'mint', before, after });

const rowsOf = (accounts: readonly TestAccount[], ...instructions: readonly TestInstruction[]) => {
  const { movements, problems, exempt } = decode(block(transaction({ accounts, instructions })));
  expect({ problems, exempt }).toEqual({ problems: [], exempt: {} });
  return movements
    .filter(({ kind, asset }) => kind !== 'fee' || asset !== 'native')
    .map(
      ({ kind, from, to, amountRaw, asset }) =>
        `${kind} ${told(from)} -> ${told(to)} ${amountRaw} ${told(asset)}`,
    );
};

test('an account that leaves the balances because its mint was closed keeps its rent', () => {
  const accounts = [alice(MINT_RENT), tokens({ amountBefore: 700n }), mint(MINT_RENT, 0n)];
  const rows = ['burn alice -> nobody 700 mint', `transfer mint -> alice ${MINT_RENT} native`];
  expect(rowsOf(accounts, burn, closeMint)).toEqual(rows);
  // The same where a program called it.
  const program = {
    program: keyOf('some program'),
    accounts: ['mint', 'alice tokens', 'alice'],
    data: join([1]),
  };
  expect(rowsOf(accounts, { ...program, calls: [burn, closeMint] })).toEqual(rows);
});

test('one that is closed beside its mint hands over its rent', () => {
  const accounts = [
    alice(MINT_RENT + ACCOUNT_RENT),
    tokens({ amountBefore: 0n, after: 0n }),
    mint(MINT_RENT, 0n),
  ];
  expect(rowsOf(accounts, closeAccount, closeMint)).toEqual([
    `rent nobody -> alice ${ACCOUNT_RENT} native`,
    `transfer mint -> alice ${MINT_RENT} native`,
  ]);
});

test('an account that enters the balances because its mint was opened again was there before', () => {
  const accounts = [alice(-MINT_RENT), tokens({ amountAfter: 50n }), mint(0n, MINT_RENT)];
  expect(rowsOf(accounts, createAccount('alice', 'mint', MINT_RENT, 202n), openMint, mintTo)).toEqual([
    `transfer alice -> mint ${MINT_RENT} native`,
    'mint nobody -> alice 50 mint',
  ]);
});

test('an account opened beside a mint that is closed at once is open, empty and has its rent', () => {
  const accounts = [alice(MINT_RENT - ACCOUNT_RENT), tokens({ before: 0n }), mint(MINT_RENT, 0n)];
  const opening = createAccount('alice', 'alice tokens', ACCOUNT_RENT, 170n);
  expect(rowsOf(accounts, opening, openAccount, closeMint)).toEqual([
    `rent alice -> nobody ${ACCOUNT_RENT} native`,
    `transfer mint -> alice ${MINT_RENT} native`,
  ]);
});

test('an account that is closed after its mint hands over its rent: no mint that can be closed is as small', () => {
  const unlisted = { name: 'alice tokens', before: ACCOUNT_RENT, after: 0n };
  const { movements } = decode(
    block(transaction({ accounts: [alice(ACCOUNT_RENT), unlisted], instructions: [closeAccount] })),
  );
  expect(movements.slice(1)).toMatchObject([
    { kind: 'rent', from: null, to: keyOf('alice'), amountRaw: ACCOUNT_RENT },
  ]);
});
