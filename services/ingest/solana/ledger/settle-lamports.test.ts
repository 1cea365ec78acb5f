import { expect, test } from 'vitest';
import {
  block,
  keyOf,
  systemTransfer,
  type TestTransaction,
  transaction,
} from '../../../testing/solana/build-transaction.ts';
import { decode, payer, SOL, told } from '../../../testing/solana/tell-rows.ts';
import type { RawBlock } from '../encoding/raw-block.ts';

const PAID = 1_000n;
const paying = (bobGets: bigint, more: Partial<TestTransaction> = {}): TestTransaction => ({
  accounts: [payer(SOL, PAID), { name: 'bob', before: 5n, after: 5n + bobGets }],
  instructions: [systemTransfer('alice', 'bob', PAID)],
  ...more,
});

/** The transaction, and a sound one behind it. */
const outcomeOf = (transfer: TestTransaction, more: Partial<RawBlock> = {}) => {
  const raw = { ...block(transaction(transfer), transaction(paying(PAID))), ...more };
  const { problems, exempt, movements } = decode(raw);
  return {
    problems: problems.map(({ code, txIndex }) => [code, txIndex]),
    exempt,
    rows: movements
      .filter(({ txIndex, kind }) => txIndex === 0 && kind !== 'fee')
      .map(({ kind, from, to, amountRaw }) => `${kind} ${told(from)} -> ${told(to)} ${amountRaw}`),
    sound: movements.filter(({ txIndex }) => txIndex === 1).length,
  };
};

const REFUSED = {
  problems: [['balances_mismatch', 0]],
  exempt: { balances_mismatch: [0] },
  rows: [],
  sound: 2,
};

test.each([
  ['by one', paying(PAID + 1n)],
  ['by far', paying(1_000_000_000_000n)],
  ['although it failed', paying(PAID + 1n, { failed: true, instructions: [] })],
])('lamports from nowhere are a problem of their transaction and no row, %s', (_, transfer) => {
  expect(outcomeOf(transfer)).toEqual(REFUSED);
});

test('lamports from nowhere are found where a double cannot hold them', () => {
  const { meta, ...rest } = transaction(paying(PAID));
  const [alice = 0, , ...others] = meta?.postBalances ?? [];
  const wrong = { ...rest, meta: meta && { ...meta, postBalances: [alice, 2n ** 63n + 1n, ...others] } };
  expect(decode(block(wrong)).problems).toMatchObject([{ code: 'balances_mismatch', txIndex: 0 }]);
});

test('lamports that are gone are a problem where the node tells of rent', () => {
  expect(outcomeOf(paying(PAID - 1n, { rewards: [] }))).toEqual(REFUSED);
});

test('lamports that are gone are rent where the node does not tell of it: no rewards asked for, or before 2022', () => {
  const rows = ['transfer alice -> bob 1000', 'rent bob -> nobody 1'];
  const rent = { problems: [], exempt: {}, rows, sound: 2 };
  expect(outcomeOf(paying(PAID - 1n))).toEqual(rent);
  expect(outcomeOf(paying(PAID - 1n, { rewards: [] }), { blockTime: 1_620_000_000 })).toEqual(rent);
  expect(outcomeOf(paying(PAID - 1n, { rewards: [] }), { blockTime: null })).toEqual(rent);
});

test('rent that the node tells of accounts for what is gone', () => {
  const rewards = [{ pubkey: keyOf('bob'), lamports: -1, rewardType: 'Rent' }];
  expect(outcomeOf(paying(PAID - 1n, { rewards }))).toMatchObject({
    problems: [],
    rows: ['rent bob -> nobody 1', 'transfer alice -> bob 1000'],
  });
});
