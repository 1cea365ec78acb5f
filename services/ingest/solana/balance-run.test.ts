import { expect, test } from 'vitest';
import {
  block,
  FEE,
  systemTransfer,
  transaction,
  u32,
  VOTE,
} from '../../testing/solana/build-transaction.ts';
import { inVersion1, inWireForm } from '../../testing/solana/in-wire-form.ts';
import { SOL } from '../../testing/solana/tell-rows.ts';
import { decodeSolanaBlock } from './decode-solana-block.ts';
import type { RawTransaction } from './encoding/raw-block.ts';

const decode = (transactions: readonly RawTransaction[], votes: 'each' | 'sum' = 'each') =>
  decodeSolanaBlock({ block: block(...transactions), slot: 100, chain: 'solana', votes });

/** Alice pays bob one lamport after the other: the n-th of her payments. */
const payment = (n: number): RawTransaction => {
  const spent = (FEE + 1n) * BigInt(n);
  return transaction({
    accounts: [
      { name: 'alice', before: SOL - spent, after: SOL - spent - FEE - 1n },
      { name: 'bob', before: SOL + BigInt(n), after: SOL + BigInt(n) + 1n },
    ],
    instructions: [systemTransfer('alice', 'bob', 1n)],
  });
};
const PAYMENTS = [0, 1, 2, 3].map(payment);
const [A, B, C, D] = PAYMENTS as [RawTransaction, RawTransaction, RawTransaction, RawTransaction];

const tell = ({ movements, problems }: ReturnType<typeof decode>) => ({
  places: movements.filter(({ kind }) => kind === 'transfer').map(({ txIndex }) => txIndex),
  problems: problems.map(({ code, txIndex }) => `${txIndex} ${code}`),
});

test('balances that run on from each transaction to the next are a whole block', () => {
  expect(tell(decode(PAYMENTS))).toEqual({ places: [0, 1, 2, 3], problems: [] });
});

test.each([
  ['json', (raw: RawTransaction) => raw],
  ['base64', inWireForm],
  ['base58, version 1', (raw: RawTransaction) => inVersion1(raw, 'base58')],
] as const)(
  'a transaction that is listed twice happened once, where its balances run on: %s',
  (_, inForm) => {
    const twice = (...listed: RawTransaction[]) => tell(decode(listed.map(inForm)));
    const repeated = (place: number) => [`${place} transaction_repeated`];
    expect(twice(A, A, B)).toEqual({ places: [0, 2], problems: repeated(1) });
    expect(twice(A, B, C, A)).toEqual({ places: [0, 1, 2], problems: repeated(3) });
    expect(twice(A, C, B, C)).toEqual({ places: [0, 2, 3], problems: repeated(1) });
    expect(twice(A, A, A)).toEqual({
      places: [0],
      problems: ['1 transaction_repeated', '2 transaction_repeated'],
    });
  },
);

test('a vote that is listed twice costs its fee once', () => {
  const vote = transaction({
    accounts: [{ name: 'alice', before: SOL, after: SOL - FEE }],
    instructions: [{ program: VOTE, accounts: ['bob'], data: u32(12) }],
  });
  expect(decode([vote, vote], 'sum').voteFeesRaw).toBe(FEE);
});

test('a transaction that a list lacks is told by the balances that it changed', () => {
  for (const listed of [
    [A, C, D],
    [A, B, D],
  ]) {
    const { places, problems } = tell(decode(listed));
    expect(places).toHaveLength(3);
    expect(problems).toEqual(['null balances_not_continuous']);
  }
});

test('behind a transaction that nobody can read no balance is expected', () => {
  const unreadable = { ...B, meta: null };
  expect(tell(decode([A, unreadable, C]))).toEqual({ places: [0, 2], problems: ['1 meta_missing'] });
});

test('the same amount as a number and as a bigint runs on', () => {
  const [one, two] = [A, B].map((raw) => structuredClone(raw));
  if (!one?.meta || !two?.meta) throw new TypeError('both have balances');
  const asBigint = (balances: readonly (number | bigint)[]) => balances.map(BigInt);
  const meta = { ...two.meta, preBalances: asBigint(two.meta.preBalances) };
  expect(tell(decode([one, { ...two, meta }])).problems).toEqual([]);
});
