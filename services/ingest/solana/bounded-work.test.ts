import { expect, test } from 'vitest';
import { block, FEE, systemTransfer, transaction } from '../../testing/solana/build-transaction.ts';
import { decode, payer, SOL } from '../../testing/solana/tell-rows.ts';
import { decodeBase58Into, encodeBase58 } from './base58.ts';

/** What a node may answer is of any size; what is more than a chain allows is refused before work is done on it. */

const problemOf = (raw: unknown): string | undefined =>
  decode({ ...block(), transactions: [raw] }).problems[0]?.code;
const sound = transaction({ accounts: [payer(SOL, 0n)], instructions: [] });

test('text longer than its bytes can be is refused before a digit of it is read', () => {
  const endsWrong = `${'z'.repeat(99)}0`;
  expect(() => decodeBase58Into(endsWrong, new Uint8Array(32))).toThrow('digits');
  expect(() => decodeBase58Into(endsWrong, new Uint8Array(128))).toThrow('not base58');
  for (const fill of [0, 255]) {
    const longest = encodeBase58(new Uint8Array(32).fill(fill), 0, 32);
    expect(decodeBase58Into(longest, new Uint8Array(32))).toBe(32);
  }
});

test('a transaction longer than any can be is refused, in whichever encoding', () => {
  expect(problemOf({ ...sound, transaction: 'z'.repeat(20_000) })).toBe('bad_base58');
  expect(problemOf({ ...sound, transaction: ['A'.repeat(20_000), 'base64'] })).toBe('bad_base64');
});

test('a transaction of more accounts than a byte can number is refused', () => {
  const accounts = (count: number) => [
    payer(SOL, 0n),
    ...Array.from({ length: count - 1 }, (_, at) => ({ name: `account ${at}`, before: FEE, after: FEE })),
  ];
  expect(problemOf(transaction({ accounts: accounts(256), instructions: [] }))).toBe(undefined);
  expect(problemOf(transaction({ accounts: accounts(257), instructions: [] }))).toBe('broken_transaction');
});

test('calls are found by who made them, each group of them looked at once', () => {
  let looks = 0;
  const count = 50;
  const instructions = Array.from({ length: count }, () => systemTransfer('alice', 'bob', 1n));
  const accounts = [
    payer(SOL, BigInt(2 * count)),
    { name: 'bob', before: 1n, after: 1n + BigInt(2 * count) },
  ];
  const raw = transaction({
    accounts,
    instructions: instructions.map((one) => ({ ...one, calls: [one] })),
  });
  const innerInstructions = (raw.meta?.innerInstructions ?? []).map(({ index, instructions: calls }) => ({
    get index() {
      looks++;
      return index;
    },
    instructions: calls,
  }));
  const decoded = decode({
    ...block(),
    transactions: [{ ...raw, meta: { ...raw.meta, innerInstructions } }],
  });
  expect(decoded.problems).toEqual([]);
  expect(decoded.movements).toHaveLength(1 + 2 * count);
  expect(looks).toBe(count);
});
