import { expect, test } from 'vitest';
import {
  closeAccount,
  createAccount,
  giveAway,
  initializeAccount3,
  join,
  keyOf,
  RENT,
  SYSTEM,
  syncNative,
  systemTransfer,
  TOKEN,
  tokenTransfer,
  transferChecked,
  u32,
  u64,
  WRAPPED_SOL,
} from '../../testing/solana/build-transaction.ts';
import { holding, payer, rowsOf, SOL, wrapped } from '../../testing/solana/tell-rows.ts';

test('wrapping and unwrapping one owner’s own lamports is no row, only the rent is', () => {
  const accounts = [payer(5n * SOL, 0n), wrapped('temp', 'alice', null, null)];
  const instructions = [
    createAccount('alice', 'temp', RENT + SOL),
    initializeAccount3('temp', WRAPPED_SOL, 'alice'),
    closeAccount('temp', 'alice', 'alice'),
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `rent alice -> nobody ${RENT} native`,
    `rent nobody -> alice ${RENT} native`,
  ]);
});

test('paying into another owner’s wrapped account is a transfer once it is taken up', () => {
  const accounts = [payer(5n * SOL, SOL), wrapped('bob tokens', 'bob', 7n, SOL + 7n)];
  const instructions = [systemTransfer('alice', 'bob tokens', SOL), syncNative('bob tokens')];
  expect(rowsOf({ accounts, instructions })).toEqual(['transfer alice -> bob 1000000000 native']);
});

test('lamports in a wrapped account that nobody took up are paid to its owner, and locked like rent', () => {
  const accounts = [payer(5n * SOL, SOL), wrapped('bob tokens', 'bob', 7n, 7n, SOL), { name: TOKEN }];
  const instructions = [systemTransfer('alice', 'bob tokens', SOL)];
  expect(rowsOf({ accounts, instructions })).toEqual([
    'transfer alice -> bob 1000000000 native',
    'rent bob -> nobody 1000000000 native',
  ]);
});

test('only the newest payments into a wrapped account count as wrapped, the oldest paid its rent', () => {
  const accounts = [
    payer(5n * SOL, RENT),
    { name: 'carol', before: 2n * SOL, after: SOL },
    wrapped('bob tokens', 'bob', null, SOL),
  ];
  const instructions = [
    createAccount('alice', 'bob tokens', RENT),
    initializeAccount3('bob tokens', WRAPPED_SOL, 'bob'),
    systemTransfer('carol', 'bob tokens', SOL),
    syncNative('bob tokens'),
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `rent alice -> nobody ${RENT} native`,
    'transfer carol -> bob 1000000000 native',
  ]);
});

test('closing a wrapped account to somebody else gives them its amount as a transfer and its rent from nobody', () => {
  const accounts = [
    payer(5n * SOL, 0n),
    { name: 'bob', before: 1n, after: 1n + SOL + RENT },
    wrapped('temp', 'alice', SOL, null),
  ];
  expect(rowsOf({ accounts, instructions: [closeAccount('temp', 'bob', 'alice')] })).toEqual([
    `rent nobody -> bob ${RENT} native`,
    'transfer alice -> bob 1000000000 native',
  ]);
});

test('an account opened and closed within the transaction counts for the owner it was opened for', () => {
  const accounts = [
    payer(5n * SOL, SOL),
    wrapped('vault', 'pool', 10n * SOL, 11n * SOL),
    wrapped('temp', 'alice', null, null),
  ];
  const instructions = [
    createAccount('alice', 'temp', RENT + SOL),
    initializeAccount3('temp', WRAPPED_SOL, 'alice'),
    {
      program: keyOf('dex'),
      accounts: [],
      data: Uint8Array.of(1),
      calls: [tokenTransfer('temp', 'vault', 'alice', SOL)],
    },
    closeAccount('temp', 'alice', 'alice'),
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `rent alice -> nobody ${RENT} native`,
    'transfer alice -> pool 1000000000 native',
    `rent nobody -> alice ${RENT} native`,
  ]);
});

test('payments into an account that was closed are not those of one opened again at its address', () => {
  const accounts = [
    payer(5n * SOL, RENT + SOL),
    { name: 'carol', before: 2n * SOL, after: 2n * SOL + RENT },
    wrapped('temp', 'alice', null, SOL),
  ];
  const instructions = [
    createAccount('alice', 'temp', RENT),
    initializeAccount3('temp', WRAPPED_SOL, 'bob'),
    closeAccount('temp', 'carol', 'bob'),
    createAccount('alice', 'temp', RENT + SOL),
    initializeAccount3('temp', WRAPPED_SOL, 'alice'),
  ];
  const spent = accounts.map((account) =>
    account.name === 'alice' ? payer(5n * SOL, 2n * RENT + SOL) : account,
  );
  expect(rowsOf({ accounts: spent, instructions })).toEqual([
    `rent alice -> nobody ${RENT} native`,
    `rent nobody -> carol ${RENT} native`,
    `rent alice -> nobody ${RENT} native`,
  ]);
});

test('lamports left in a wrapped account before and taken up now come from nobody', () => {
  const before = wrapped('bob tokens', 'bob', 7n, 57n);
  const accounts = [payer(SOL, 0n), { ...before, before: before.before + 50n }];
  expect(rowsOf({ accounts, instructions: [syncNative('bob tokens')] })).toEqual([
    'rent nobody -> bob 50 native',
  ]);
});

test('lamports that arrive after the last taking up stay locked, in old accounts and in new ones', () => {
  const rich = [payer(5n * SOL, SOL + 60n), wrapped('bob tokens', 'bob', 7n, SOL + 7n, 60n)];
  const instructions = [
    systemTransfer('alice', 'bob tokens', SOL),
    syncNative('bob tokens'),
    systemTransfer('alice', 'bob tokens', 60n),
  ];
  const expected = [
    'transfer alice -> bob 1000000000 native',
    'transfer alice -> bob 60 native',
    'rent bob -> nobody 60 native',
  ];
  expect(rowsOf({ accounts: rich, instructions })).toEqual(expected);
  const fresh = [payer(5n * SOL, RENT + SOL + 60n), wrapped('bob tokens', 'bob', null, SOL, 60n)];
  const opening = [
    createAccount('alice', 'bob tokens', RENT),
    initializeAccount3('bob tokens', WRAPPED_SOL, 'bob'),
  ];
  expect(rowsOf({ accounts: fresh, instructions: [...opening, ...instructions] })).toEqual([
    `rent alice -> nobody ${RENT} native`,
    ...expected,
  ]);
});

test('the price of a byte is learnt from the block where it is lower than it was', () => {
  const cheap = 293n * 1_000n;
  const first = {
    accounts: [payer(5n * SOL, cheap), { ...holding('bob tokens', 'bob', undefined, 0n), after: cheap }],
    instructions: [
      createAccount('alice', 'bob tokens', cheap),
      initializeAccount3('bob tokens', 'mint', 'bob'),
    ],
  };
  const second = {
    accounts: [payer(5n * SOL, 0n), wrapped('temp', 'carol', null, null)],
    instructions: [
      createAccount('alice', 'temp', cheap + 30n),
      initializeAccount3('temp', WRAPPED_SOL, 'carol'),
      closeAccount('temp', 'alice', 'carol'),
    ],
  };
  expect(rowsOf(first, second)).toEqual([
    `rent alice -> nobody ${cheap} native`,
    'transfer alice -> carol 30 native',
    `rent alice -> nobody ${cheap} native`,
    `rent nobody -> alice ${cheap} native`,
    'transfer carol -> alice 30 native',
  ]);
});

test('unwrapping a part to somebody else is a transfer of that part', () => {
  const accounts = [
    payer(SOL, 0n),
    { name: 'bob', before: 1n, after: 401n },
    wrapped('temp', 'alice', 1_000n, 600n),
  ];
  const instructions = [
    { program: TOKEN, accounts: ['temp', 'bob', 'alice'], data: join([45, 1], u64(400n)) },
  ];
  expect(rowsOf({ accounts, instructions })).toEqual(['transfer alice -> bob 400 native']);
});

test('what lay at an address before it was a token account, and what is left there after, is the address’s own', () => {
  const temp = { name: 'temp', before: 30n, after: 7n };
  const accounts = [payer(5n * SOL, 7n - 30n), temp];
  const instructions = [
    systemTransfer('alice', 'temp', RENT - 30n),
    { program: SYSTEM, accounts: ['temp'], data: join(u32(8), u64(165n)) },
    initializeAccount3('temp', WRAPPED_SOL, 'alice'),
    closeAccount('temp', 'alice', 'alice'),
    systemTransfer('alice', 'temp', 7n),
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `rent alice -> nobody ${RENT - 30n} native`,
    `rent nobody -> alice ${RENT} native`,
    'transfer alice -> temp 7 native',
    'rent temp -> nobody 30 native',
  ]);
});

const CHEAP = 293n * 1_000n;

test('rent below what a block has shown yet: an account that pays more than it seemed to hold held it', () => {
  const accounts = [
    payer(5n * SOL, 30n),
    wrapped('bob tokens', 'bob', 7n, 37n),
    wrapped('temp', 'carol', null, null),
  ];
  const instructions = [
    createAccount('alice', 'temp', CHEAP + 30n),
    initializeAccount3('temp', WRAPPED_SOL, 'carol'),
    tokenTransfer('temp', 'bob tokens', 'carol', 30n),
    closeAccount('temp', 'alice', 'carol'),
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `rent alice -> nobody ${CHEAP + 30n} native`,
    'rent nobody -> carol 30 native',
    'transfer carol -> bob 30 native',
    `rent nobody -> alice ${CHEAP} native`,
  ]);
});

test('rent below what a block has shown yet: an account that stays tells it by its amount', () => {
  const opened = { ...wrapped('bob tokens', 'bob', null, SOL), after: CHEAP + SOL };
  const instructions = [
    createAccount('alice', 'bob tokens', CHEAP + SOL),
    initializeAccount3('bob tokens', WRAPPED_SOL, 'bob'),
  ];
  expect(rowsOf({ accounts: [payer(5n * SOL, CHEAP + SOL), opened], instructions })).toEqual([
    'transfer alice -> bob 1000000000 native',
    `rent alice -> nobody ${CHEAP} native`,
  ]);
});

const teaching = (lamports: bigint) => ({
  accounts: [payer(5n * SOL, lamports), { ...holding('temp', 'bob', undefined, 0n), after: lamports }],
  instructions: [createAccount('alice', 'temp', lamports), initializeAccount3('temp', 'mint', 'bob')],
});

test('an account keeps the rent it was opened with when a block charges less', () => {
  const later = {
    accounts: [payer(5n * SOL, SOL), wrapped('bob tokens', 'bob', 7n, SOL + 7n)],
    instructions: [systemTransfer('alice', 'bob tokens', SOL), syncNative('bob tokens')],
  };
  expect(rowsOf(teaching(CHEAP), later)).toEqual([
    `rent alice -> nobody ${CHEAP} native`,
    'transfer alice -> bob 1000000000 native',
  ]);
});

test('who makes an account larger than he opens it does not make a byte cheaper for those behind him', () => {
  const paid = 202n * (10_000n + 128n);
  const grown = {
    accounts: [
      payer(5n * SOL, paid),
      { ...holding('alice tokens', 'alice', undefined, 0n), before: 0n, after: paid },
    ],
    instructions: [
      createAccount('alice', 'alice tokens', 0n, 10_000n),
      systemTransfer('alice', 'alice tokens', paid),
      initializeAccount3('alice tokens', 'mint', 'alice'),
    ],
  };
  const passing = {
    accounts: [payer(5n * SOL, 0n), wrapped('temp', 'bob', null, null)],
    instructions: [
      createAccount('alice', 'temp', RENT),
      initializeAccount3('temp', WRAPPED_SOL, 'bob'),
      closeAccount('temp', 'alice', 'bob'),
    ],
  };
  expect(rowsOf(grown, passing).slice(-2)).toEqual([
    `rent alice -> nobody ${RENT} native`,
    `rent nobody -> alice ${RENT} native`,
  ]);
});

test('an account opened with no whole price a byte teaches none', () => {
  const passing = {
    accounts: [
      payer(5n * SOL, 30n),
      { name: 'bob', before: 1n, after: 31n },
      wrapped('vault', 'carol', null, null),
    ],
    instructions: [
      createAccount('alice', 'vault', RENT + 30n),
      initializeAccount3('vault', WRAPPED_SOL, 'carol'),
      closeAccount('vault', 'bob', 'carol'),
      systemTransfer('bob', 'alice', RENT),
    ],
  };
  expect(rowsOf(teaching(CHEAP + 1n), passing)).toContain('transfer carol -> bob 30 native');
});

const oldest = { without: 'balances' as const };

test('an account of 2020 that is found to be wrapped only later holds what lies above its rent', () => {
  const accounts = [
    payer(5n * SOL, 400n - SOL - RENT),
    { name: 'temp', before: RENT + SOL, after: 0n },
    { name: 'bob tokens', before: RENT, after: RENT + 400n },
  ];
  const instructions = [
    giveAway('temp', 'alice', 'carol'),
    transferChecked('temp', WRAPPED_SOL, 'bob tokens', 'carol', 400n),
    closeAccount('temp', 'alice', 'carol'),
  ];
  expect(rowsOf({ ...oldest, accounts, instructions })).toEqual([
    'transfer carol -> bob tokens 400 native',
    `rent nobody -> alice ${RENT} native`,
    'transfer carol -> alice 999999600 native',
  ]);
});

test('an account of 2020 that pays one known to be wrapped is wrapped itself, and any other is not', () => {
  const passing = (mint: string) => ({
    ...oldest,
    accounts: [payer(SOL, 0n)],
    instructions: [transferChecked('vault', mint, 'bob tokens', 'carol', 0n)],
  });
  const paying = (lamports: bigint) => ({
    ...oldest,
    accounts: [
      payer(SOL, -RENT),
      { name: 'temp', before: RENT + lamports, after: 0n },
      { name: 'bob tokens', before: RENT, after: RENT + lamports },
    ],
    instructions: [tokenTransfer('temp', 'bob tokens', 'carol', 3n), closeAccount('temp', 'alice', 'carol')],
  });
  const closed = `rent nobody -> alice ${RENT} native`;
  expect(rowsOf(passing(WRAPPED_SOL), paying(3n)).slice(1)).toEqual([
    'transfer temp -> bob tokens 3 native by carol',
    closed,
  ]);
  expect(rowsOf(passing('mint'), paying(0n)).slice(1)).toEqual([
    'transfer temp -> bob tokens 3 mint by carol',
    closed,
  ]);
});
