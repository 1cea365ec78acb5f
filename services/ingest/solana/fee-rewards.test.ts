import { expect, test } from 'vitest';
import { block, keyOf, transaction } from '../../testing/solana/build-transaction.ts';
import { decode, payer, SOL } from '../../testing/solana/tell-rows.ts';

const PAID = transaction({ accounts: [payer(SOL, 0n)], instructions: [] });
const reward = (rewardType?: string | null) => ({ pubkey: keyOf('leader'), lamports: 2_500, rewardType });
const codesOf = (rewards: unknown, transactions = [PAID]) =>
  decode({ ...block(...transactions), rewards }).problems.map(({ code, txIndex }) => [txIndex, code]);

test.each([
  ['absent', undefined],
  ['null', null],
  ['empty', []],
  ['of other kinds only', [reward('Voting'), reward('Staking'), reward('Rent')]],
])('fees were paid, and the rewards are %s: that is told, and the rest stands', (_, rewards) => {
  expect(codesOf(rewards)).toEqual([[null, 'rewards_absent']]);
  expect(decode({ ...block(PAID), rewards }).movements[0]).toMatchObject({ kind: 'fee' });
});

test.each([
  ['one is for fees', [reward('Staking'), reward('Fee')]],
  ['a node of 2020 does not say what for', [reward(null)]],
  ['it leaves that out', [reward()]],
])('nothing is missing where %s', (_, rewards) => {
  expect(codesOf(rewards)).toEqual([]);
});

test('a block in which nobody paid has nobody to reward', () => {
  for (const rewards of [undefined, null, []]) expect(codesOf(rewards, [])).toEqual([]);
});

test('rewards that are no list are told as that, too', () => {
  expect(codesOf('none')).toEqual([
    [null, 'rewards_absent'],
    [null, 'bad_rewards'],
  ]);
});
