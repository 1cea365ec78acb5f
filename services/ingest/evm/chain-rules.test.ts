import { expect, test } from 'vitest';
import {
  ALICE,
  address,
  BLOCK_HASH,
  BOB,
  CAROL,
  decode,
  hash,
  hex,
  log,
  MINER,
  rowsOf,
  TOKEN,
  transfer,
  word,
} from '../../testing/evm/small-evm-block.ts';
import { decodeEvmBlock } from './decode-evm-block.ts';

test.each([
  [1, 5_000_000_000_000_000_000n],
  [4_369_999, 5_000_000_000_000_000_000n],
  [4_370_000, 3_000_000_000_000_000_000n],
  [7_279_999, 3_000_000_000_000_000_000n],
  [7_280_000, 2_000_000_000_000_000_000n],
  [15_537_393, 2_000_000_000_000_000_000n],
])('block %i was rewarded by the rule of its time', (number, reward) => {
  expect(decode([], { number: hex(number), difficulty: '0x1' }).movements).toEqual([
    expect.objectContaining({
      txIndex: null,
      index: 0,
      kind: 'reward',
      from: null,
      to: MINER,
      amountRaw: reward,
    }),
  ]);
});

test('after the Merge, and on other chains, no block is rewarded by a table', () => {
  expect(decode([], { number: hex(15_537_394), difficulty: undefined }).movements).toEqual([]);
  expect(decode([], { chain: 'gnosis', number: '0x100', difficulty: '0x1' }).movements).toEqual([]);
});

test('a nephew gets a 32nd for each uncle; uncles get their eighths where they were fetched', () => {
  const block = {
    number: hex(1_000),
    hash: BLOCK_HASH,
    parentHash: word('0x1'),
    timestamp: '0x1',
    miner: MINER,
    difficulty: '0x1',
    uncles: [hash(5)],
    transactions: [],
  };
  const uncles = [{ number: hex(998), miner: CAROL }];
  const decoded = decodeEvmBlock({ chain: 'ethereum', block, receipts: [], traces: [], uncles });
  expect(rowsOf(decoded)).toEqual([
    'reward nobody>d 5156250000000000000 native',
    'reward nobody>c 3750000000000000000 native',
  ]);
  const without = decodeEvmBlock({ chain: 'ethereum', block, receipts: [], traces: [] });
  expect(without.movements).toHaveLength(1);
  expect(without.problems).toMatchObject([{ code: 'uncles_absent', txIndex: null }]);
});

test('withdrawals are gwei, and are rows of the block behind all others', () => {
  const withdrawals = [{ index: '0x1', validatorIndex: '0x2', address: CAROL, amount: '0x3' }];
  expect(rowsOf(decode([{}], { withdrawals })).at(-1)).toBe('withdrawal nobody>c 3000000000 native');
});

test.each([
  ['ethereum', 17_034_869, []],
  ['ethereum', 17_034_870, ['withdrawals_absent']],
  ['base', 20_000_000, []],
  ['polygon', 50_000_000, []],
])('on %s block %i that lists no withdrawals at all has the problems %j', (chain, number, codes) => {
  const { problems, movements } = decode([], { chain, number: hex(number), withdrawals: undefined });
  expect(problems.map(({ code, txIndex }) => ({ code, txIndex }))).toEqual(
    codes.map((code) => ({ code, txIndex: null })),
  );
  expect(movements).toEqual([]);
});

const POL = '0x0000000000000000000000000000000000001010';

const MOVED = '0xe6497e3ee548a3372136af2fcb0696db31fc6cf20260707645068bd3fe97f3c4';
const FEE_PAID = '0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63';
const native = (topic: string, from: string, to: string, amount: number): Record<string, unknown> =>
  log([topic, word(POL), word(from), word(to)], word(hex(amount)) + '0'.repeat(256), POL);

test('what Polygon’s client itself runs is taken from its logs, whatever its trace begins with', () => {
  const paid = native(MOVED, POL, BOB, 7);
  const tx = { from: address('0'), to: address('0'), value: '0x0', gasPrice: '0x0' };
  const receipt = { logs: [paid], gasUsed: '0x0', effectiveGasPrice: '0x0' };
  for (const trace of [
    { from: `0x${'f'.repeat(39)}e`, to: TOKEN, value: '0x9' },
    { from: address('0'), value: '0x0' },
  ]) {
    const decoded = decode([{ tx, receipt, trace }], { chain: 'polygon' }, true);
    expect(rowsOf(decoded)[0]).toBe('transfer 0000000000000000000000000000000000001010>b 7 native');
    expect(decoded).toMatchObject({ problems: [], exempt: { value_from_logs_only: [0] } });
  }
});

test('blocks whose balances were changed by decree say so', () => {
  const { problems } = decode([], { number: hex(1_920_000), difficulty: '0x1' });
  expect(problems).toMatchObject([{ code: 'irregular_state_change', txIndex: null }]);
});

const VAULT = '420000000000000000000000000000000000';

test('an OP-stack chain pays each part of the fee into its vault', () => {
  const receipt = { l1Fee: '0x64', operatorFeeScalar: hex(2_000_000), operatorFeeConstant: '0x9' };
  expect(rowsOf(decode([{ receipt }], { chain: 'base' }))).toEqual([
    'transfer a>b 5 native',
    `fee a>${VAULT}0011 63000 native`,
    `fee a>${VAULT}0019 147000 native`,
    `fee a>${VAULT}001a 100 native`,
    `fee a>${VAULT}001b 42009 native`,
  ]);
  const jovian = decode(
    [{ receipt: { ...receipt, operatorFeeScalar: '0x1', daFootprintGasScalar: '0x190' } }],
    {
      chain: 'base',
    },
  );
  expect(rowsOf(jovian).at(-1)).toBe(`fee a>${VAULT}001b 2100009 native`);
});

test('an OP-stack receipt without its L1 fee leaves the fee unknown; of Optimism’s first system nothing is demanded', () => {
  const receipt = { l1Fee: undefined };
  const base = decode([{ receipt }], { chain: 'base' });
  expect(rowsOf(base)).toEqual([
    'transfer a>b 5 native',
    `fee a>${VAULT}0011 63000 native`,
    `fee a>${VAULT}0019 147000 native`,
  ]);
  expect(base.problems).toMatchObject([{ code: 'fee_unknown', txIndex: 0 }]);
  expect(base.exempt).toEqual({ fee_unknown: [0] });
  const optimism = (number: number) =>
    decode([{ receipt }], { chain: 'optimism', number: hex(number) }).exempt;
  expect(optimism(105_235_062)).toEqual({});
  expect(optimism(105_235_063)).toEqual({ fee_unknown: [0] });
  const deposit = { tx: { type: '0x7e', mint: '0x8' }, receipt };
  expect(decode([deposit], { chain: 'base' }).exempt).toEqual({});
});

test('an OP-stack deposit pays no fee, and what it issues is kept when it fails', () => {
  const tx = { type: '0x7e', mint: '0x8', gasPrice: undefined };
  const receipt = { effectiveGasPrice: undefined };
  expect(rowsOf(decode([{ tx, receipt }], { chain: 'base' }))).toEqual([
    'mint nobody>a 8 native',
    'transfer a>b 5 native',
  ]);
  expect(rowsOf(decode([{ tx, receipt: { ...receipt, status: '0x0' } }], { chain: 'base' }))).toEqual([
    'mint nobody>a 8 native',
  ]);
});

test('what Optimism’s first system logged as a token’s issue or destruction is the coin', () => {
  const coin = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000';
  const logs = [transfer(address('0'), BOB, 9, coin), transfer(BOB, address('0'), 4, coin)];
  const tx = { value: '0x0', gasPrice: '0x0', input: '0x12' };
  const receipt = { logs, effectiveGasPrice: '0x0' };
  const rows = rowsOf(decode([{ tx, receipt }], { chain: 'optimism', number: hex(1_000_000) }));
  expect(rows).toEqual(['mint nobody>b 9 native', 'burn b>nobody 4 native']);
});

test('Polygon’s own logs tell who got the fee and what moved inside, and are no tokens', () => {
  const logs = [
    native(MOVED, ALICE, BOB, 5),
    native(MOVED, BOB, CAROL, 2),
    transfer(BOB, CAROL, 2, POL),
    native(MOVED, BOB, CAROL, 2),
    native(FEE_PAID, ALICE, MINER, 63_000),
  ];
  const part = { tx: { input: '0x12' }, receipt: { logs, gasUsed: '0x5208' } };
  const decoded = decode([part], { chain: 'polygon', miner: address('0'), number: hex(50_523_000) });
  expect(rowsOf(decoded)).toEqual([
    'transfer a>b 5 native',
    'transfer b>c 2 native',
    'fee a>d 63000 native',
    'fee a>7a8ed27f4c30512326878652d20fc85727401854 147000 native',
  ]);
  expect(decoded.exempt).toEqual({ value_from_logs_only: [0] });
});

test('a Polygon receipt without its status is not decided by the log of its fee, which failures have too', () => {
  const logs = [native(FEE_PAID, ALICE, MINER, 63_000)];
  const decoded = decode([{ receipt: { logs, status: undefined } }], { chain: 'polygon' });
  expect(decoded.movements.map(({ kind }) => kind)).toEqual(['fee', 'fee']);
  expect(decoded.problems).toMatchObject([{ code: 'status_unknown', txIndex: 0 }]);
});

test('on BSC fees gather in the system address and go to the validator with the block', () => {
  const decoded = decode([{}, {}], { chain: 'bsc', baseFeePerGas: '0x0' });
  const system = 'fffffffffffffffffffffffffffffffffffffffe';
  expect(rowsOf(decoded)).toEqual([
    'transfer a>b 5 native',
    'fee a>f 210000 native',
    'transfer a>b 5 native',
    'fee a>f 210000 native',
    'fee f>d 420000 native',
  ]);
  expect(decoded.movements.at(-1)).toMatchObject({ txIndex: null, from: `0x${system}` });
});

test('what is paid to BSC’s system address goes to the validator with the fees, and what left it does not', () => {
  const system = '0xfffffffffffffffffffffffffffffffffffffffe';
  const paid = { tx: { to: system, value: '0x9' } };
  const left = { tx: { from: system, to: CAROL, value: '0x4', type: '0x0', gasPrice: '0x0' } };
  const block = { chain: 'bsc', baseFeePerGas: '0x0' };
  const decoded = decode([paid, { ...left, receipt: { effectiveGasPrice: '0x0' } }], block);
  expect(rowsOf(decoded)).toEqual([
    'transfer a>f 9 native',
    'fee a>f 210000 native',
    'transfer f>c 4 native',
    'fee f>d 210005 native',
  ]);
  const more = { tx: { ...left.tx, value: '0xfffff' }, receipt: { effectiveGasPrice: '0x0' } };
  expect(decode([paid, more], block).problems).toMatchObject([{ code: 'fees_malformed', txIndex: null }]);
});

test.each(['ethereum', 'base', 'optimism', 'polygon', 'bsc', 'arbitrum', 'gnosis', 'sepolia', 'constructor'])(
  'the first block of %s says that what its accounts began with is not in it',
  (chain) => {
    const decoded = decode([], { chain, number: '0x0', difficulty: '0x1', withdrawals: undefined });
    expect(decoded.problems).toMatchObject([{ code: 'irregular_state_change', txIndex: null }]);
    expect(decoded.movements).toEqual([]);
  },
);

test.each([
  [1_000_000, 2_000_000_000_000_000_000n],
  [1_450_408, 2_000_000_000_000_000_000n],
  [1_450_409, undefined],
])('block %i of Sepolia was rewarded with %s while it was made by work', (number, reward) => {
  const { movements } = decode([], { chain: 'sepolia', number: hex(number), difficulty: '0x20000' });
  expect(movements[0]?.amountRaw).toBe(reward);
});

const OWED = '0x3c798bbcf33115b42c728b8504cff11dd58736e9fa789f1cda2738db7d696b2a';

test.each(['0x481c034c6d9441db23ea48de68bcae812c5d39ba', '0x867305d19606aadba405ce534e303d0e225f9556'])(
  'Gnosis issues what its bridge owes, as %s logs it, and nothing that another contract logs so',
  (rewards) => {
    const owed = (at: string, amount: string) => log([OWED, word(BOB), word(CAROL)], word(amount), at);
    const tx = { value: '0x0', input: '0x12' };
    const receipt = { logs: [owed(rewards, '0x9'), owed(TOKEN, '0x8')] };
    const rows = (status: string) =>
      rowsOf(decode([{ tx, receipt: { ...receipt, status } }], { chain: 'gnosis' }));
    expect(rows('0x1').filter((row) => !row.startsWith('fee'))).toEqual(['mint nobody>b 9 native']);
    expect(rows('0x0').filter((row) => !row.startsWith('fee'))).toEqual([]);
  },
);

test('fees of a BSC block that together are more than there is are a problem, and its transactions stand', () => {
  const price = hex(10n ** 18n);
  const part = {
    tx: { gasPrice: price },
    receipt: { gasUsed: hex(200_000_000), effectiveGasPrice: price },
  };
  const decoded = decode([part, part], { chain: 'bsc', baseFeePerGas: '0x0' });
  expect(decoded.problems.map(({ code, txIndex }) => `${code} ${txIndex}`)).toContain('fees_malformed null');
  expect(decoded.movements.filter(({ kind }) => kind === 'transfer')).toHaveLength(2);
});

test('on Arbitrum the posting part has its pool and the rest is counted as unknown; withdrawals destroy', () => {
  const logs = [
    log(
      ['0x3e7aafa77dbf186b7fd488006beff893744caa3c4f6f299e8a709fa2087374fc', word(BOB), hash(1), hash(2)],
      `0x${[0, 1, 2, 3, 4].map((value) => word(hex(value)).slice(2)).join('')}`,
      '0x0000000000000000000000000000000000000064',
    ),
  ];
  const decoded = decode([{ receipt: { logs, gasUsedForL1: '0x8' } }], {
    chain: 'arbitrum',
    number: hex(150_000_000),
  });
  expect(rowsOf(decoded)).toEqual([
    'transfer a>b 5 native',
    'burn 0000000000000000000000000000000000000064>nobody 4 native',
    'fee a>a4b00000000000000000000000000000000000f6 80 native',
    'fee a>nobody 62976 native',
    'fee a>nobody 146944 native',
  ]);
  expect(decoded.exempt).toEqual({ recipient_unknown: [0] });
});

const systemFrame = (from: string, to: string, value: string) => ({
  ...{ type: 'INVALID', from, to, value, input: '0x' },
});

test('what ArbOS moves during a call is traced in frames of its own; what it destroys is told by the log', () => {
  const calls = [systemFrame(BOB, CAROL, '0x3'), systemFrame(BOB, address('0'), '0x2')];
  const decoded = decode([{ trace: { calls } }], { chain: 'arbitrum' }, true);
  expect(rowsOf(decoded).slice(0, 2)).toEqual(['transfer a>b 5 native', 'transfer b>c 3 native']);
  expect(decoded.movements.filter(({ kind }) => kind !== 'fee')).toHaveLength(2);
  expect(decoded.problems).toEqual([]);
});

test('what an Arbitrum ticket brings is issued once and stays with its sender until the ticket is redeemed', () => {
  // keccak256('retryable escrow' and the hash of the first transaction), its last 20 bytes.
  const escrow = '0x5e4efe1355dacd6d56b738ce9a7d3f69b08066e3';
  const calls = [
    ...[systemFrame(address('0'), ALICE, '0x9'), systemFrame(ALICE, MINER, '0x1')],
    ...[systemFrame(ALICE, CAROL, '0x1'), systemFrame(ALICE, escrow, '0x7')],
  ];
  const submitted = { tx: { type: '0x69', depositValue: '0x9', value: '0x0' }, trace: { calls } };
  const redeemed = { tx: { type: '0x68', value: '0x7' } };
  expect(rowsOf(decode([submitted, redeemed], { chain: 'arbitrum' }, true))).toEqual([
    'mint nobody>a 9 native',
    'transfer a>d 1 native',
    'transfer a>c 1 native',
    'transfer a>b 7 native',
  ]);
});

test('what ArbOS hands back when an Arbitrum ticket was redeemed has rows; what it issues as fees has the receipt’s', () => {
  const handedBack = { purpose: 'refund', from: MINER, to: CAROL, value: '0x3' };
  const issued = { purpose: 'feeCollection', from: null, to: MINER, value: '0x8' };
  const trace = { afterEVMTransfers: [issued, handedBack] };
  const rows = (status: string, error?: string) => {
    const redeemed = { tx: { type: '0x68' }, receipt: { status }, trace: { ...trace, error } };
    return rowsOf(decode([redeemed], { chain: 'arbitrum' }, true));
  };
  expect(rows('0x1')).toEqual(['transfer a>b 5 native', 'transfer d>c 3 native']);
  expect(rows('0x0', 'execution reverted')).toEqual([]);
});

test('Arbitrum’s deposits issue what they bring; tickets are exempt beyond that', () => {
  const decoded = decode(
    [
      { tx: { type: '0x64' } },
      { tx: { type: '0x69', depositValue: '0x9', value: '0x0' } },
      { tx: { type: '0x6a', value: '0x0' } },
    ],
    { chain: 'arbitrum' },
  );
  expect(rowsOf(decoded)).toEqual([
    'mint nobody>a 5 native',
    'transfer a>b 5 native',
    'mint nobody>a 9 native',
  ]);
  expect(decoded.exempt).toEqual({ retryable: [1] });
});

test('a chain without rules keeps its fees, to nobody, counted', () => {
  const decoded = decode([{}], { chain: 'constructor' });
  expect(rowsOf(decoded)).toEqual([
    'transfer a>b 5 native',
    'fee a>nobody 63000 native',
    'fee a>nobody 147000 native',
  ]);
  expect(decoded.exempt).toEqual({ recipient_unknown: [0] });
});
