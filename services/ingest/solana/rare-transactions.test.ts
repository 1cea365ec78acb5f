import { expect, test } from 'vitest';
import {
  block,
  closeAccount,
  createAccount,
  initializeAccount3,
  join,
  keyOf,
  RENT,
  SYSTEM,
  systemTransfer,
  type TestTransaction,
  TOKEN_2022,
  tokenTransfer,
  transaction,
  transferChecked,
  u32,
  u64,
  WRAPPED_SOL,
} from '../../testing/solana/build-transaction.ts';
import { findSumRuleBreaks } from '../../testing/solana/sum-rule.ts';
import { decode, holding, payer, rowsOf, SOL, told, wrapped } from '../../testing/solana/tell-rows.ts';
import type { RawBlock } from './encoding/raw-block.ts';

const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

test('who sends tokens to the account they come from pays no fee for it, stated or not', () => {
  const stated = {
    program: TOKEN_2022,
    accounts: ['alice tokens', 'mint', 'alice tokens', 'alice'],
    data: join([26, 1], u64(100n), [6], u64(3n)),
  };
  const self = transferChecked('alice tokens', 'mint', 'alice tokens', 'alice', 100n);
  const bobs = transferChecked('bob tokens', 'mint', 'alice tokens', 'bob', 100n);
  const accounts = [
    payer(SOL, 0n),
    holding('alice tokens', 'alice', 500n, 598n),
    holding('bob tokens', 'bob', 100n, 0n),
  ];
  expect(rowsOf({ accounts, instructions: [bobs, stated, self] })).toEqual([
    'transfer bob -> alice 98 mint',
    'fee bob -> nobody 2 mint',
    'transfer alice -> alice 100 mint',
    'transfer alice -> alice 100 mint',
  ]);
});

test('rent that the runtime collected is never taken for what a program moved', () => {
  const accounts = [
    payer(SOL, 0n),
    { name: 'bob', before: 100n, after: 93n },
    { name: 'vault', before: 50n, after: 43n },
    { name: 'carol', before: 0n, after: 7n },
  ];
  const rewards = [{ pubkey: keyOf('bob'), lamports: -7, rewardType: 'Rent' }];
  expect(rowsOf({ accounts, rewards, instructions: [] })).toEqual([
    'rent bob -> nobody 7 native',
    'program vault -> carol 7 native',
  ]);
});

test('a node that only gives the old status of a transaction says so that it failed', () => {
  const accounts = [payer(5n * SOL, 0n), { name: 'bob', before: 3n, after: 3n }];
  const { meta, ...signed } = transaction({ accounts, instructions: [systemTransfer('alice', 'bob', SOL)] });
  const { err: _, ...old } = { ...meta, status: { Err: 'AccountNotFound' } };
  const decoded = decode({ ...block(), transactions: [{ ...signed, meta: old }] });
  expect(decoded.movements.map(({ kind }) => kind)).toEqual(['fee']);
});

/** As nodes answer it that keep no calls between programs. */
const unrecorded = (told: TestTransaction): RawBlock => {
  const { meta, ...signed } = transaction(told);
  return block({ ...signed, meta: meta && { ...meta, innerInstructions: null } });
};

test('where calls were not recorded, a wrapped account that is opened and closed pays on what was paid in', () => {
  const raw = unrecorded({
    accounts: [
      payer(SOL, -40n),
      { name: 'temp', before: 0n, after: 0n },
      wrapped('vault', 'pool', 100n, 40n),
      wrapped('bob tokens', 'bob', 0n, 20n),
    ],
    instructions: [
      { program: ASSOCIATED, accounts: ['alice', 'temp', 'alice', WRAPPED_SOL], data: Uint8Array.of(1) },
      tokenTransfer('temp', 'bob tokens', 'alice', 20n),
      closeAccount('temp', 'alice', 'alice'),
    ],
  });
  const decoded = decode(raw);
  expect(findSumRuleBreaks(raw, decoded)).toEqual([]);
  expect(decoded.movements.slice(1).map(({ kind, from, to }) => [kind, told(from), told(to)])).toEqual([
    ['transfer', 'alice', 'bob'],
    ['program', 'pool', 'alice'],
  ]);
});

test('where calls were not recorded, asking for an associated account that exists changes nothing of it', () => {
  const accounts = [
    payer(SOL, 0n),
    holding('alice tokens', 'alice', 50n, 40n),
    holding('bob tokens', 'bob', 5n, 15n),
  ];
  const ask = {
    program: ASSOCIATED,
    accounts: ['alice', 'bob tokens', 'bob', 'mint'],
    data: Uint8Array.of(1),
  };
  const pay = tokenTransfer('alice tokens', 'bob tokens', 'alice', 10n);
  const decoded = decode(unrecorded({ accounts, instructions: [ask, pay] }));
  expect(decoded.problems).toEqual([]);
  expect(decoded.movements.slice(1).map(({ kind, from, to }) => [kind, told(from), told(to)])).toEqual([
    ['transfer', 'alice', 'bob'],
  ]);
});

test('where calls were not recorded, what left an account of the Token program is no fee: it keeps none back', () => {
  const accounts = [
    payer(SOL, 0n),
    holding('alice tokens', 'alice', 100n, 0n),
    holding('temp', 'pool', 0n, 60n),
    holding('bob tokens', 'bob', 0n, 40n),
  ];
  expect(rowsOf({ accounts, instructions: [tokenTransfer('alice tokens', 'temp', 'alice', 100n)] })).toEqual([
    'transfer alice -> pool 100 mint',
    'program pool -> bob 40 mint',
  ]);
});

test.each([-1, 2, '0', undefined])(
  'calls of an instruction that is not there are not passed over: %s',
  (index) => {
    const accounts = [payer(SOL, 0n), { name: 'vault', before: 90n, after: 83n }, { name: 'bob', after: 7n }];
    const through = { program: 'some program', accounts: [], data: Uint8Array.of(1) };
    const { meta, ...signed } = transaction({
      accounts: [...accounts, { name: 'pool', before: 7n, after: 7n }],
      instructions: [{ ...through, calls: [systemTransfer('vault', 'pool', 7n)] }, through],
    });
    const [made] = meta?.innerInstructions ?? [];
    const { problems, exempt } = decode({
      ...block(),
      transactions: [{ ...signed, meta: { ...meta, innerInstructions: [{ ...made, index }] } }],
    });
    expect(problems.map(({ code }) => code)).toEqual(['broken_transaction']);
    expect(exempt).toEqual({ broken_transaction: [0] });
  },
);

test('who may withdraw from a nonce account need not be named, where an account before is theirs', () => {
  const accounts = [
    payer(5n * SOL, SOL - 12n),
    { name: 'bob', before: 0n, after: SOL },
    { name: 'vault', before: 20n, after: 8n },
  ];
  const withdrawal = {
    program: SYSTEM,
    accounts: ['vault', 'alice', 'recent blockhashes', 'rent'],
    data: join(u32(5), u64(12n)),
  };
  expect(rowsOf({ accounts, instructions: [systemTransfer('alice', 'bob', SOL), withdrawal] })).toEqual([
    'transfer alice -> bob 1000000000 native',
    'transfer vault -> alice 12 native',
  ]);
});

test('a mint that is known of the receiver is that of the transfer', () => {
  const plain = { accounts: [payer(SOL, 0n)], without: 'balances' as const };
  const rows = rowsOf(
    { ...plain, instructions: [transferChecked('bob tokens', 'mint', 'alice tokens', 'bob', 4n)] },
    { ...plain, instructions: [tokenTransfer('temp', 'alice tokens', 'carol', 3n)] },
  );
  expect(rows).toEqual([
    'transfer bob tokens -> alice tokens 4 mint by bob',
    'transfer temp -> alice tokens 3 mint by carol',
  ]);
});

test('whose an account was is forgotten when it closes', () => {
  const old = { without: 'owners' as const };
  const passing = {
    ...old,
    accounts: [payer(5n * SOL, 0n), holding('bob tokens', 'bob', undefined, undefined)],
    instructions: [
      createAccount('alice', 'bob tokens', RENT),
      initializeAccount3('bob tokens', 'mint', 'bob'),
      closeAccount('bob tokens', 'alice', 'bob'),
    ],
  };
  const again = {
    ...old,
    accounts: [
      payer(SOL, 0n),
      holding('bob tokens', 'carol', 5n, 0n),
      holding('alice tokens', 'alice', 0n, 5n),
    ],
    instructions: [tokenTransfer('bob tokens', 'alice tokens', 'carol', 5n)],
  };
  const rows = block(transaction(passing), transaction(again));
  const last = decode(rows).movements.at(-1);
  expect([told(last?.from ?? null), last?.amountRaw]).toEqual(['bob tokens', 5n]);
});
