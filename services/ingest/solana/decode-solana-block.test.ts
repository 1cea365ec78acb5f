import { expect, test } from 'vitest';
import {
  block,
  createAccount,
  FEE,
  giveAway,
  initializeAccount3,
  join,
  keyBytes,
  keyOf,
  RENT,
  STAKE,
  systemTransfer,
  TOKEN,
  TOKEN_2022,
  tokenTransfer,
  transaction,
  transferChecked,
  u32,
  u64,
  VOTE,
} from '../../testing/solana/build-transaction.ts';
import { decode, holding, payer, rowsOf, SOL, told } from '../../testing/solana/tell-rows.ts';
import { BlockFormatError } from '../block-format-error.ts';

test('a transfer by the System program is one row with both ends', () => {
  const accounts = [payer(5n * SOL, SOL), { name: 'bob', before: 0n, after: SOL }];
  expect(rowsOf({ accounts, instructions: [systemTransfer('alice', 'bob', SOL)] })).toEqual([
    'transfer alice -> bob 1000000000 native',
  ]);
});

test('tokens move between owners, and a delegate that signed is named beside them', () => {
  const accounts = [
    payer(SOL, 0n),
    holding('alice tokens', 'alice', 50n, 40n),
    holding('bob tokens', 'bob', 0n, 10n),
  ];
  expect(
    rowsOf({ accounts, instructions: [tokenTransfer('alice tokens', 'bob tokens', 'carol', 10n)] }),
  ).toEqual(['transfer alice -> bob 10 mint by carol']);
});

test('a Token-2022 fee is split over several transfers so that every party’s sum is exact', () => {
  const accounts = [
    payer(SOL, 0n),
    holding('alice tokens', 'alice', 10_000n, 10_000n - 1_234n - 777n),
    // 3 %, rounded up for each: 38 and 24
    holding('bob tokens', 'bob', 0n, 1_234n + 777n - 62n),
  ];
  const instructions = [
    transferChecked('alice tokens', 'mint', 'bob tokens', 'alice', 1_234n),
    transferChecked('alice tokens', 'mint', 'bob tokens', 'alice', 777n),
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    'transfer alice -> bob 1196 mint',
    'fee alice -> nobody 38 mint',
    'transfer alice -> bob 753 mint',
    'fee alice -> nobody 24 mint',
  ]);
});

test('withheld fees that are paid out come from nobody', () => {
  const accounts = [payer(SOL, 0n), holding('alice tokens', 'alice', 1n, 91n)];
  const instructions = [
    { program: TOKEN_2022, accounts: ['mint', 'alice tokens', 'alice'], data: Uint8Array.of(26, 3, 0) },
  ];
  expect(rowsOf({ accounts, instructions })).toEqual(['fee nobody -> alice 90 mint']);
});

test('a token account handed over moves what it holds from the old owner to the new one', () => {
  const accounts = [payer(SOL, 0n), { ...holding('alice tokens', 'alice', 30n, 30n), ownerAfter: 'bob' }];
  const instructions = [giveAway('alice tokens', 'alice', 'bob')];
  expect(rowsOf({ accounts, instructions })).toEqual(['owner_change alice -> bob 30 mint']);
});

test('minting and burning have nobody on the other side', () => {
  const accounts = [payer(SOL, 0n), holding('alice tokens', 'alice', 5n, 12n)];
  const instructions = [
    { program: TOKEN, accounts: ['mint', 'alice tokens', 'bob'], data: join([7], u64(10n)) },
    { program: TOKEN, accounts: ['alice tokens', 'mint', 'alice'], data: join([15], u64(3n), [6]) },
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    'mint nobody -> alice 10 mint by bob',
    'burn alice -> nobody 3 mint',
  ]);
});

test('every instruction of a batch is applied with its own accounts', () => {
  const accounts = [
    payer(5n * SOL, RENT),
    holding('alice tokens', 'alice', 50n, 45n),
    holding('bob tokens', 'bob', undefined, 5n),
  ];
  const init = join([18], keyBytes('bob'));
  const move = join([3], u64(5n));
  const instructions = [
    createAccount('alice', 'bob tokens', RENT),
    {
      program: TOKEN,
      accounts: ['bob tokens', 'mint', 'alice tokens', 'bob tokens', 'alice'],
      data: join([255, 2, init.length], init, [3, move.length], move),
    },
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    `rent alice -> nobody ${RENT} native`,
    'transfer alice -> bob 5 mint',
  ]);
});

test('lamports that a program moves by itself are paired by balance difference', () => {
  const accounts = [
    payer(SOL, 0n),
    { name: 'vault', before: 1_000n, after: 100n },
    { name: 'bob', before: 0n, after: 600n },
    { name: 'carol', before: 0n, after: 300n },
  ];
  const instructions = [
    { program: keyOf('some program'), accounts: ['vault', 'bob', 'carol'], data: Uint8Array.of(1) },
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    'program vault -> bob 600 native',
    'program vault -> carol 300 native',
  ]);
});

test('a closed Token-2022 mint pays what it held as an account of its own', () => {
  const accounts = [
    payer(SOL, 0n),
    { name: 'mint', before: 900n, after: 0n },
    { name: 'bob', before: 0n, after: 900n },
  ];
  const instructions = [{ program: TOKEN_2022, accounts: ['mint', 'bob', 'alice'], data: Uint8Array.of(9) }];
  expect(rowsOf({ accounts, instructions })).toEqual(['transfer mint -> bob 900 native by alice']);
});

test('stake and vote withdrawals, splits and merges are transfers between their accounts', () => {
  const accounts = [
    payer(SOL, 0n),
    { name: 'stake', before: 1_000n, after: 0n },
    { name: 'vault', before: 10n, after: 610n },
    { name: 'bob', before: 0n, after: 450n },
    { name: 'pool', before: 100n, after: 50n },
  ];
  const instructions = [
    { program: STAKE, accounts: ['stake', 'vault', 'alice'], data: join(u32(3), u64(500n)) },
    { program: STAKE, accounts: ['stake', 'bob', 'alice'], data: join(u32(4), u64(400n)) },
    { program: STAKE, accounts: ['vault', 'stake', 'alice'], data: u32(7) },
    { program: VOTE, accounts: ['pool', 'bob', 'carol'], data: join(u32(3), u64(50n)) },
  ];
  expect(rowsOf({ accounts, instructions })).toEqual([
    'transfer stake -> vault 500 native by alice',
    'transfer stake -> bob 400 native by alice',
    'transfer stake -> vault 100 native by alice',
    'transfer pool -> bob 50 native by carol',
  ]);
});

test('a failed transaction leaves only its fee', () => {
  const accounts = [payer(5n * SOL, 0n), { name: 'bob', before: 3n, after: 3n }];
  expect(rowsOf({ accounts, failed: true, instructions: [systemTransfer('alice', 'bob', SOL)] })).toEqual([]);
});

test('rent that the runtime collected leaves its account for nobody, in failed transactions too', () => {
  const rewards = [{ pubkey: keyOf('bob'), lamports: -7, rewardType: 'Rent' }];
  const accounts = [payer(SOL, 0n), { name: 'bob', before: 100n, after: 93n }];
  for (const failed of [false, true])
    expect(rowsOf({ accounts, failed, rewards, instructions: [] })).toEqual(['rent bob -> nobody 7 native']);
});

test('where the balances name no owner, the token account is the party until the block says whose it is', () => {
  const first = {
    accounts: [
      payer(5n * SOL, RENT),
      holding('alice tokens', 'alice', 50n, 45n),
      holding('bob tokens', 'bob', undefined, 5n),
    ],
    instructions: [
      createAccount('alice', 'bob tokens', RENT),
      initializeAccount3('bob tokens', 'mint', 'bob'),
      tokenTransfer('alice tokens', 'bob tokens', 'alice', 5n),
    ],
    without: 'owners' as const,
  };
  const second = {
    accounts: [
      payer(5n * SOL, 0n),
      holding('bob tokens', 'bob', 5n, 3n),
      holding('alice tokens', 'alice', 45n, 47n),
    ],
    instructions: [tokenTransfer('bob tokens', 'alice tokens', 'bob', 2n)],
    without: 'owners' as const,
  };
  expect(rowsOf(first, second)).toEqual([
    `rent alice -> nobody ${RENT} native`,
    'transfer alice tokens -> bob 5 mint by alice',
    'transfer bob -> alice tokens 2 mint',
  ]);
});

test.each(['preTokenBalances', 'postTokenBalances'] as const)(
  'an owner that %s leave out is the one that the other list names',
  (list) => {
    const accounts = [
      payer(SOL, 0n),
      holding('alice tokens', 'alice', 50n, 40n),
      holding('bob tokens', 'bob', 0n, 10n),
    ];
    const instructions = [tokenTransfer('alice tokens', 'bob tokens', 'alice', 10n)];
    const { transaction: signed, meta } = transaction({ accounts, instructions });
    if (meta === null) throw new Error('a transaction has its meta');
    const nameless = (meta[list] ?? []).map(({ owner, ...balance }) => ({ ...balance, owner: null }));
    const { movements } = decode({
      ...block(),
      transactions: [{ transaction: signed, meta: { ...meta, [list]: nameless } }],
    });
    expect(movements.slice(1).map(({ kind, from, to }) => [kind, told(from), told(to)])).toEqual([
      ['transfer', 'alice', 'bob'],
    ]);
  },
);

test('a block without token balances leaves a transfer of an unknown mint out, and says so', () => {
  const accounts = [payer(SOL, 0n), { name: 'alice tokens', before: RENT, after: RENT }];
  const raw = block(
    transaction({
      accounts,
      instructions: [tokenTransfer('alice tokens', 'bob tokens', 'alice', 5n)],
      without: 'balances',
    }),
  );
  const decoded = decode(raw);
  expect(decoded.problems.map(({ code, txIndex }) => [code, txIndex])).toEqual([['asset_unknown', 0]]);
  expect(decoded.exempt).toEqual({ asset_unknown: [0] });
  expect(decoded.movements.map(({ kind }) => kind)).toEqual(['fee']);
});

test('a mint that a later transaction of the block names is known to the earlier ones', () => {
  const plain = { accounts: [payer(SOL, 0n)], without: 'balances' as const };
  const rows = rowsOf(
    { ...plain, instructions: [tokenTransfer('alice tokens', 'bob tokens', 'alice', 5n)] },
    { ...plain, instructions: [transferChecked('bob tokens', 'mint', 'alice tokens', 'bob', 4n)] },
  );
  expect(rows).toEqual([
    'transfer alice tokens -> bob tokens 5 mint by alice',
    'transfer bob tokens -> alice tokens 4 mint by bob',
  ]);
});

test('a transfer of an unknown mint that lamports went along with was wrapped SOL', () => {
  const raw = block(
    transaction({
      accounts: [
        payer(SOL, 0n),
        { name: 'alice tokens', before: RENT + 50n, after: RENT + 20n },
        { name: 'bob tokens', before: RENT, after: RENT + 30n },
      ],
      instructions: [tokenTransfer('alice tokens', 'bob tokens', 'alice', 30n)],
      without: 'balances',
    }),
  );
  const { movements, problems } = decode(raw);
  expect(problems).toEqual([]);
  expect(movements.slice(1)).toMatchObject([
    {
      kind: 'transfer',
      from: keyOf('alice tokens'),
      to: keyOf('bob tokens'),
      asset: 'native',
      amountRaw: 30n,
    },
  ]);
});

test('fees of votes are summed when asked for, and every other transaction pays its own', () => {
  const withdrawing = {
    accounts: [
      payer(SOL, 0n),
      { name: 'pool', before: 60n, after: 10n },
      { name: 'bob', before: 0n, after: 50n },
    ],
    instructions: [{ program: VOTE, accounts: ['pool', 'bob', 'alice'], data: join(u32(3), u64(50n)) }],
  };
  const calling = (data: Uint8Array) => ({
    accounts: [payer(SOL, 0n)],
    instructions: [{ program: VOTE, accounts: ['bob'], data }],
  });
  const authorizing = calling(join(u32(1), new Uint8Array(32), u32(0)));
  const raw = block(...[calling(u32(12)), withdrawing, authorizing, calling(u32(14))].map(transaction));
  expect(decode(raw, 'each').movements.map(({ kind }) => kind)).toEqual([
    ...['fee', 'fee', 'transfer', 'fee', 'fee'],
  ]);
  const summed = decode(raw, 'sum');
  expect(summed.voteFeesRaw).toBe(2n * FEE);
  expect(summed.movements.map(({ txIndex, kind, index }) => [txIndex, kind, index])).toEqual([
    [1, 'fee', 0],
    [1, 'transfer', 1],
    [2, 'fee', 0],
  ]);
  expect(summed.transactions.map(({ txIndex }) => txIndex)).toEqual([1, 2]);
});

test('rewards come from nobody and negative ones are rent, after all transactions', () => {
  const raw = {
    ...block(transaction({ accounts: [payer(SOL, 0n)], instructions: [] })),
    rewards: [
      { pubkey: keyOf('bob'), lamports: 40, rewardType: 'Fee' },
      { pubkey: keyOf('carol'), lamports: 0, rewardType: 'Voting' },
      { pubkey: keyOf('carol'), lamports: -3, rewardType: 'Rent' },
    ],
  };
  const own = decode(raw).movements.slice(1);
  expect(
    own.map(({ kind, index, txIndex, from, to }) => [kind, index, txIndex, told(from), told(to)]),
  ).toEqual([
    ['reward', 0, null, 'nobody', 'bob'],
    ['rent', 1, null, 'carol', 'nobody'],
  ]);
});

test('the first block of an epoch, which rewarded every stake at once, is decoded whole', () => {
  const rewards = Array.from({ length: 200_000 }, () => ({ pubkey: keyOf('bob'), lamports: 7 }));
  expect(decode({ ...block(), rewards }).movements).toHaveLength(200_000);
});

test.each([[{ pubkey: keyOf('bob'), lamports: 7 }], ['abc'], [7], [true]])(
  'rewards that are no list are a problem of the block: %j',
  (rewards) => {
    const { problems, movements } = decode({ ...block(), rewards });
    expect(problems).toMatchObject([{ code: 'bad_rewards', txIndex: null }]);
    expect(movements).toEqual([]);
  },
);

test('a block without rewards has none, and that is no problem', () => {
  for (const rewards of [undefined, null]) expect(decode({ ...block(), rewards }).problems).toEqual([]);
});

test('an input that is no block is refused with a code', () => {
  const codeOf = (input: unknown): string => {
    try {
      decode(input);
      return 'none';
    } catch (error) {
      return error instanceof BlockFormatError ? error.code : 'untyped';
    }
  };
  expect(codeOf('not-a-block')).toBe('not_a_block');
  expect(codeOf(null)).toBe('not_a_block');
  expect(codeOf({})).toBe('not_a_block');
  expect(codeOf({ ...block(), transactions: undefined })).toBe('transactions_missing');
  const accountsOnly = { transaction: { accountKeys: [], signatures: [] }, meta: null };
  expect(codeOf({ ...block(), transactions: [accountsOnly] })).toBe('details_unusable');
  expect(codeOf({ ...block(), parentSlot: '5' })).toBe('field_malformed');
  expect(codeOf({ ...block(), parentSlot: undefined })).toBe('field_missing');
});

test('a transaction whose keys were cut is a problem, and its neighbours are decoded', () => {
  const [sound, other] = [0, 1].map(() => transaction({ accounts: [payer(SOL, 0n)], instructions: [] }));
  if (!sound || !other) throw new TypeError('two were built');
  const cut = {
    ...sound,
    meta: sound.meta === null ? null : { ...sound.meta, preBalances: [1, 2, 3] },
  };
  const decoded = decode(block(sound, cut, other));
  expect(decoded.problems.map(({ code, txIndex }) => [code, txIndex])).toEqual([['balances_mismatch', 1]]);
  expect(decoded.exempt).toEqual({ balances_mismatch: [1] });
  expect(decoded.transactions.map(({ txIndex }) => txIndex)).toEqual([0, 2]);
});
