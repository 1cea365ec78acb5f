import { expect, test } from 'vitest';
import {
  block,
  closeAccount,
  createAccount,
  giveAway,
  initializeAccount3,
  join,
  RENT,
  SYSTEM,
  systemTransfer,
  TOKEN,
  TOKEN_2022,
  transaction,
  u32,
  u64,
  WRAPPED_SOL,
} from '../../testing/solana/build-transaction.ts';
import { decode, holding, payer, rowsOf, SOL, told, wrapped } from '../../testing/solana/tell-rows.ts';

/** Lamports in token accounts beyond their rent, and at addresses that are token accounts for a part of the transaction. */

const THOUSAND = 1_000n * SOL;
const rich = 2n * THOUSAND;
const allocate = { program: SYSTEM, accounts: ['temp'], data: join(u32(8), u64(165n)) };

test('what is paid into an open token account is a transfer to its owner, who has it locked there', () => {
  const bobs = { ...holding('bob tokens', 'bob', 0n, 0n), after: RENT + THOUSAND };
  const instructions = [systemTransfer('alice', 'bob tokens', THOUSAND)];
  expect(rowsOf({ accounts: [payer(rich, THOUSAND), bobs, { name: TOKEN }], instructions })).toEqual([
    `transfer alice -> bob ${THOUSAND} native`,
    `rent bob -> nobody ${THOUSAND} native`,
  ]);
  const own = { ...bobs, owner: 'alice' };
  expect(rowsOf({ accounts: [payer(rich, THOUSAND), own, { name: TOKEN }], instructions })).toEqual([
    `rent alice -> nobody ${THOUSAND} native`,
  ]);
});

test('what a token account holds beyond its rent is paid by its owner when it is closed to somebody else', () => {
  const closed = { ...holding('alice tokens', 'alice', 0n, undefined), before: RENT + THOUSAND };
  const total = RENT + THOUSAND;
  const toBob = [payer(SOL, 0n), closed, { name: 'bob', before: 1n, after: 1n + total }];
  expect(rowsOf({ accounts: toBob, instructions: [closeAccount('alice tokens', 'bob', 'alice')] })).toEqual([
    `rent nobody -> bob ${RENT} native`,
    `rent nobody -> alice ${THOUSAND} native`,
    `transfer alice -> bob ${THOUSAND} native`,
  ]);
  const toSelf = [payer(SOL, -total), closed];
  const instructions = [closeAccount('alice tokens', 'alice', 'alice')];
  expect(rowsOf({ accounts: toSelf, instructions })).toEqual([`rent nobody -> alice ${total} native`]);
});

test('what a token account is opened with beyond its rent is paid to its owner', () => {
  const opened = { ...holding('bob tokens', 'bob', undefined, 0n), after: RENT + THOUSAND };
  const instructions = [
    createAccount('alice', 'bob tokens', RENT + THOUSAND),
    initializeAccount3('bob tokens', 'mint', 'bob'),
  ];
  expect(rowsOf({ accounts: [payer(rich, RENT + THOUSAND), opened], instructions })).toEqual([
    `transfer alice -> bob ${THOUSAND} native`,
    `rent alice -> nobody ${RENT} native`,
    `rent bob -> nobody ${THOUSAND} native`,
  ]);
});

test('a token account handed over takes along what it holds beyond its rent', () => {
  const account = { ...holding('temp', 'alice', 0n, 0n), before: RENT + SOL, after: RENT + SOL };
  const instructions = [giveAway('temp', 'alice', 'bob')];
  expect(rowsOf({ accounts: [payer(SOL, 0n), { ...account, ownerAfter: 'bob' }], instructions })).toEqual([
    `rent nobody -> alice ${SOL} native`,
    `owner_change alice -> bob ${SOL} native`,
    `rent bob -> nobody ${SOL} native`,
  ]);
});

test('what a program pays into a token account, or takes out of it, moves to or from its owner', () => {
  const excess = {
    program: TOKEN_2022,
    accounts: ['alice tokens', 'carol', 'alice'],
    data: Uint8Array.of(38),
  };
  const accounts = [
    payer(SOL, 0n),
    { ...holding('alice tokens', 'alice', 0n, 0n), before: RENT + 50n },
    { name: 'carol', before: 1n, after: 51n },
    { name: 'pool', before: THOUSAND, after: 0n },
    { ...holding('bob tokens', 'bob', 0n, 0n), after: RENT + THOUSAND },
  ];
  expect(rowsOf({ accounts, instructions: [excess] })).toEqual([
    'rent nobody -> alice 50 native',
    `rent bob -> nobody ${THOUSAND} native`,
    `program pool -> bob ${THOUSAND} native`,
    'program alice -> carol 50 native',
  ]);
});

test('a payment to an address that was a token account until a moment before is one to the address', () => {
  const closed = { ...holding('temp', 'alice', 0n, undefined), after: THOUSAND };
  const instructions = [closeAccount('temp', 'alice', 'alice'), systemTransfer('alice', 'temp', THOUSAND)];
  expect(rowsOf({ accounts: [payer(rich, THOUSAND - RENT), closed], instructions })).toEqual([
    `rent nobody -> alice ${RENT} native`,
    `transfer alice -> temp ${THOUSAND} native`,
  ]);
});

test('what lay at an address is paid to whose account is opened there, but for the rent', () => {
  const total = THOUSAND + RENT;
  const instructions = (mint: string) => [allocate, initializeAccount3('temp', mint, 'bob')];
  const native = { ...wrapped('temp', 'bob', null, THOUSAND), before: total };
  expect(rowsOf({ accounts: [payer(SOL, 0n), native], instructions: instructions(WRAPPED_SOL) })).toEqual([
    `transfer temp -> bob ${THOUSAND} native`,
    `rent temp -> nobody ${RENT} native`,
  ]);
  const other = { ...holding('temp', 'bob', undefined, 0n), before: total, after: total };
  expect(rowsOf({ accounts: [payer(SOL, 0n), other], instructions: instructions('mint') })).toEqual([
    `transfer temp -> bob ${THOUSAND} native`,
    `rent bob -> nobody ${THOUSAND} native`,
    `rent temp -> nobody ${RENT} native`,
  ]);
});

test('an address that pays before a token account is opened there pays itself', () => {
  const accounts = [
    payer(rich, THOUSAND),
    { ...holding('temp', 'alice', undefined, 0n), before: SOL + RENT },
    { name: 'bob', before: 1n, after: 1n + SOL + THOUSAND },
  ];
  const instructions = [
    systemTransfer('alice', 'temp', THOUSAND),
    systemTransfer('temp', 'bob', SOL + THOUSAND),
    allocate,
    initializeAccount3('temp', 'mint', 'alice'),
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `transfer alice -> temp ${THOUSAND - RENT} native`,
    `rent alice -> nobody ${RENT} native`,
    `transfer temp -> bob ${SOL + THOUSAND} native`,
  ]);
});

test('an address that pays between two token accounts opened there pays itself', () => {
  const accounts = [
    payer(rich, THOUSAND),
    holding('temp', 'alice', 0n, 0n),
    { name: 'bob', before: 1n, after: 1n + THOUSAND },
  ];
  const instructions = [
    closeAccount('temp', 'alice', 'alice'),
    systemTransfer('alice', 'temp', THOUSAND),
    systemTransfer('temp', 'bob', THOUSAND),
    createAccount('alice', 'temp', RENT),
    initializeAccount3('temp', 'mint', 'alice'),
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `rent nobody -> alice ${RENT} native`,
    `transfer alice -> temp ${THOUSAND} native`,
    `transfer temp -> bob ${THOUSAND} native`,
    `rent alice -> nobody ${RENT} native`,
  ]);
});

test('what an address paid that no instruction put there came from nobody known', () => {
  const accounts = [
    payer(SOL, 0n),
    { name: 'vault', before: 70n + RENT, after: 0n },
    { ...holding('temp', 'bob', undefined, 0n), before: 0n },
    { name: 'bob', before: 0n, after: 70n },
  ];
  const instructions = [
    systemTransfer('temp', 'bob', 70n),
    allocate,
    initializeAccount3('temp', 'mint', 'bob'),
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    'transfer temp -> bob 70 native',
    'rent nobody -> temp 70 native',
    `rent vault -> nobody ${70n + RENT} native`,
  ]);
});

test('the rent of a Token-2022 account with extensions stays rent', () => {
  const deposit = (165n + 150n + 128n) * 6_960n;
  const closing = (lamports: bigint): string[] => {
    const signed = transaction({
      accounts: [
        payer(SOL, 0n),
        { ...holding('temp', 'bob', 0n, undefined), before: lamports },
        { name: 'carol', before: 1n, after: 1n + lamports },
      ],
      instructions: [{ ...closeAccount('temp', 'carol', 'bob'), program: TOKEN_2022 }],
    });
    if (signed.meta === null) throw new Error('a transaction has its meta');
    const preTokenBalances = (signed.meta.preTokenBalances ?? []).map((one) => ({
      ...one,
      programId: TOKEN_2022,
    }));
    const { movements } = decode(block({ ...signed, meta: { ...signed.meta, preTokenBalances } }));
    return movements.slice(1).map(({ kind, from, to }) => `${kind} ${told(from)} -> ${told(to)}`);
  };
  expect(closing(deposit)).toEqual(['rent nobody -> carol']);
  expect(closing(deposit + SOL)).toContain('transfer bob -> carol');
});
