import { expect, test } from 'vitest';
import {
  block,
  closeAccount,
  RENT,
  type TestInstruction,
  type TestTransaction,
  tokenTransfer,
  transaction,
} from '../../../testing/solana/build-transaction.ts';
import { inVersion1, inWireForm } from '../../../testing/solana/in-wire-form.ts';
import { decode, holding, payer, SOL, told } from '../../../testing/solana/tell-rows.ts';
import type { RawTransaction } from '../encoding/raw-block.ts';

const [IN_2020, IN_2023] = [1_604_000_000, 1_690_000_000];

/** A call of some program that hands these accounts over. */
const calling = (program: string, accounts: readonly string[], ...calls: TestInstruction[]) => ({
  program,
  accounts,
  data: Uint8Array.of(1),
  calls,
});

/** As nodes of 2020 tell it: all calls of the transaction for each of its instructions. */
const listedForEach = (of: TestTransaction): RawTransaction => {
  const { meta, ...raw } = transaction(of);
  const groups = meta?.innerInstructions ?? [];
  const all = groups.flatMap(({ instructions }) => instructions);
  const innerInstructions = groups.map(({ index }) => ({ index, instructions: all }));
  return { ...raw, meta: meta && { ...meta, innerInstructions } };
};

const rowsAt = (blockTime: number, raw: RawTransaction): string[] => {
  const { movements, problems } = decode({ ...block(raw), blockTime });
  expect(problems).toEqual([]);
  return movements
    .filter(({ kind }) => kind !== 'fee')
    .map(({ kind, from, to, amountRaw }) => `${kind} ${told(from)} -> ${told(to)} ${amountRaw}`);
};

const first = tokenTransfer('alice tokens', 'bob tokens', 'alice', 70n);
const second = tokenTransfer('bob tokens', 'alice tokens', 'bob', 30n);
const third = tokenTransfer('alice tokens', 'bob tokens', 'alice', 5n);
const ACCOUNTS = ['alice tokens', 'bob tokens', 'alice', 'bob'];

test.each([
  ['json', (raw: RawTransaction) => raw],
  ['base64', inWireForm],
  ['base64, version 1', (raw: RawTransaction) => inVersion1(raw, 'base64')],
] as const)('calls that a block of 2020 lists for each instruction happened once: %s', (_, inForm) => {
  const of = {
    accounts: [
      { ...payer(SOL, 0n), after: SOL - 5_000n + RENT },
      holding('alice tokens', 'alice', 100n, 60n),
      holding('bob tokens', 'bob', 0n, 40n),
      { name: 'temp', before: RENT, after: 0n, mint: 'mint', owner: 'alice', amountBefore: 0n },
    ],
    instructions: [
      { ...closeAccount('temp', 'alice', 'alice'), calls: [] },
      calling('some program', ACCOUNTS, first, second),
    ],
  };
  const rows = ['rent nobody -> alice 2039280', 'transfer alice -> bob 70', 'transfer bob -> alice 30'];
  expect(rowsAt(IN_2020, inForm(listedForEach(of)))).toEqual(rows);
  // Whenever it is told: a program of the chain calls no other.
  expect(rowsAt(IN_2023, inForm(listedForEach(of)))).toEqual(rows);
  expect(rowsAt(IN_2023, inForm(transaction(of)))).toEqual(rows);
});

test('each of those calls follows the instruction that was handed its accounts, in the order of execution', () => {
  const of = {
    accounts: [
      payer(SOL, 0n),
      holding('alice tokens', 'alice', 70n, 25n),
      holding('bob tokens', 'bob', 0n, 45n),
    ],
    instructions: [
      calling('one program', ACCOUNTS, first),
      { ...second, calls: [] },
      calling('another program', ['alice tokens', 'bob tokens', 'alice'], third),
      calling('no caller', ['alice'], ...[]),
    ],
  };
  const rows = ['transfer alice -> bob 70', 'transfer bob -> alice 30', 'transfer alice -> bob 5'];
  expect(rowsAt(IN_2020, transaction(of))).toEqual(rows);
  // Both calls fit the first program, so that they may follow each other; what is moved stays the same.
  expect(rowsAt(IN_2020, listedForEach(of)).toSorted()).toEqual(rows.toSorted());
});

test('two instructions that may each have made the same call made it twice, but in a block of 2020', () => {
  const twice = (moved: bigint): TestTransaction => ({
    accounts: [
      payer(SOL, 0n),
      holding('alice tokens', 'alice', 140n, 140n - moved),
      holding('bob tokens', 'bob', 0n, moved),
    ],
    instructions: [1, 2].map(() => calling('some program', ACCOUNTS, first)),
  });
  expect(rowsAt(IN_2023, transaction(twice(140n)))).toEqual(Array(2).fill('transfer alice -> bob 70'));
  expect(rowsAt(IN_2020, transaction(twice(70n)))).toEqual(['transfer alice -> bob 70']);
});

test('calls of one instruction that are listed twice happened once, and those of two lists both', () => {
  const of = {
    accounts: [
      payer(SOL, 0n),
      holding('alice tokens', 'alice', 100n, 60n),
      holding('bob tokens', 'bob', 0n, 40n),
    ],
    instructions: [calling('some program', ACCOUNTS, first, second)],
  };
  const { meta, ...raw } = transaction(of);
  const [group] = meta?.innerInstructions ?? [];
  if (!meta || !group) throw new TypeError('one instruction called');
  const listed = (...innerInstructions: (typeof group)[]) =>
    rowsAt(IN_2023, { ...raw, meta: { ...meta, innerInstructions } });
  const rows = ['transfer alice -> bob 70', 'transfer bob -> alice 30'];
  expect(listed(group, group)).toEqual(rows);
  const [one, two] = group.instructions.map((call) => ({ index: 0, instructions: [call] }));
  if (!one || !two) throw new TypeError('it called twice');
  expect(listed(one, two)).toEqual(rows);
});
