import { expect, test } from 'vitest';
import {
  ALICE,
  address,
  BOB,
  CAROL,
  decode,
  FEES,
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

const frame = (type: string, from: string, to: string, value: number): object => ({
  ...{ type, from, to, value: hex(value), input: '0x' },
});

const mixHash = (arbosVersion: number): string =>
  `0x${'0'.repeat(32)}${arbosVersion.toString(16).padStart(16, '0')}${'0'.repeat(16)}`;

test.each([
  ['ethereum', { blobGasUsed: '0x0' }, false],
  ['ethereum', {}, true],
  ['polygon', { number: hex(54_875_999) }, true],
  ['polygon', { number: hex(54_876_000) }, false],
  ['arbitrum', { mixHash: mixHash(19) }, true],
  ['arbitrum', { mixHash: mixHash(20) }, false],
])('on %s with %j an account that destroys itself to itself burns: %s', (chain, block, burns) => {
  const calls = [frame('SELFDESTRUCT', BOB, BOB, 9)];
  const rows = rowsOf(decode([{ trace: { calls } }], { chain, ...block }, true));
  expect(rows.includes('burn b>nobody 9 native')).toBe(burns);
});

const called = (to: string, ending: object): object => ({
  ...{ type: 'CALL', from: BOB, to, value: '0x0', input: '0x', calls: [ending] },
});
const untold = { type: 'SELFDESTRUCT', from: address('0'), input: '0x' };

test.each<[string, object[], string[]]>([
  ['nothing', [called(CAROL, untold)], []],
  [
    'the payment before it',
    [frame('CALL', BOB, CAROL, 2), called(CAROL, frame('SELFDESTRUCT', BOB, CAROL, 2))],
    ['transfer b>c 2 native'],
  ],
  ['a payment of nothing', [called(CAROL, frame('SELFDESTRUCT', BOB, CAROL, 0))], []],
  [
    'itself, by code that another one lent it',
    [{ ...called(TOKEN, frame('SELFDESTRUCT', BOB, CAROL, 2)), type: 'DELEGATECALL' }],
    ['transfer b>c 2 native'],
  ],
])(
  'of a self-destruct that is nothing since Cancun some nodes tell %s: that is no payment, and hides none',
  (_, calls, paid) => {
    const decoded = decode([{ trace: { calls } }], { blobGasUsed: '0x0' }, true);
    expect(decoded.problems).toEqual([]);
    expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', ...paid, ...FEES]);
  },
);

test.each<[string, Record<string, unknown>, object]>([
  ['before Cancun', {}, called(CAROL, untold)],
  ['since Cancun', { blobGasUsed: '0x0' }, called(CAROL, frame('SELFDESTRUCT', BOB, MINER, 3))],
])('a self-destruct told of another account than runs, %s, is not believed', (_, block, call) => {
  const decoded = decode([{ trace: { calls: [call] } }], block, true);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', ...FEES]);
  expect(decoded.problems.map(({ code }) => code)).not.toEqual([]);
});

test('a transaction that moved nothing has no row but its fees, and a block that paid nobody has none', () => {
  expect(rowsOf(decode([{ tx: { value: '0x0' } }]))).toEqual(FEES);
  const deposit = { tx: { type: '0x7e', value: '0x0', mint: '0x0' } };
  expect(decode([deposit], { chain: 'base' }).movements).toEqual([]);
  const withdrawals = [{ index: '0x1', validatorIndex: '0x2', address: CAROL, amount: '0x0' }];
  expect(decode([], { withdrawals }).movements).toEqual([]);
  expect(decode([], { chain: 'bsc' }).movements).toEqual([]);
});

test('without a price of its own a receipt has the one that the caps of the transaction make', () => {
  const tx = { gasPrice: undefined, maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x5' };
  expect(rowsOf(decode([{ tx, receipt: { effectiveGasPrice: undefined } }])).slice(1)).toEqual([
    'fee a>d 42000 native',
    'fee a>nobody 147000 native',
  ]);
});

test('receipts and traces in another order belong to the transactions that they name', () => {
  const block = {
    ...{ number: '0x1', hash: word('0xb10c'), parentHash: word('0x1'), timestamp: '0x1', miner: MINER },
    difficulty: '0x0',
    transactions: [1, 2].map((value) => ({
      ...{ hash: hash(value), from: ALICE, to: BOB, value: hex(value), gas: '0x5208', input: '0x' },
    })),
  };
  const receipts = [1, 2].map((value) => ({
    ...{
      transactionHash: hash(value),
      status: '0x1',
      gasUsed: hex(value),
      effectiveGasPrice: '0x1',
      logs: [],
    },
  }));
  const traces = [1, 2].map((value) => ({ txHash: hash(value), result: frame('CALL', ALICE, BOB, value) }));
  const decoded = decodeEvmBlock({
    ...{ chain: 'ethereum', block, receipts: receipts.toReversed(), traces: traces.toReversed() },
  });
  expect(decoded.problems).toEqual([]);
  expect(rowsOf(decoded)).toEqual([
    'transfer a>b 1 native',
    'fee a>d 1 native',
    'transfer a>b 2 native',
    'fee a>d 2 native',
  ]);
});

test('uncles of another count than the block names are not believed', () => {
  const block = { number: hex(1_000), difficulty: '0x1', uncles: [hash(5)] };
  const whole = { ...block, hash: word('0x2'), parentHash: word('0x1'), timestamp: '0x1', miner: MINER };
  const uncles = [998, 999].map((number) => ({ number: hex(number), miner: CAROL }));
  const decoded = decodeEvmBlock({
    ...{ chain: 'ethereum', block: { ...whole, transactions: [] }, receipts: [], traces: [], uncles },
  });
  expect(rowsOf(decoded)).toEqual(['reward nobody>d 5156250000000000000 native']);
  expect(decoded.problems).toMatchObject([{ code: 'uncles_absent' }]);
});

test('validators that are paid in a token are paid nothing of the coin', () => {
  const withdrawals = [{ index: '0x1', validatorIndex: '0x2', address: CAROL, amount: '0x3' }];
  expect(decode([], { chain: 'gnosis', withdrawals }).movements).toEqual([]);
});

test('a transfer log with more data than an amount is not ERC-20', () => {
  const { topics } = transfer(ALICE, BOB, 3) as { topics: string[] };
  const decoded = decode([{ receipt: { logs: [log(topics, `${word('0x3')}${'0'.repeat(64)}`)] } }]);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', ...FEES]);
  expect(decoded.exempt).toEqual({ transfer_log_nonstandard: [0] });
});

const WITHDRAWN = '0x3e7aafa77dbf186b7fd488006beff893744caa3c4f6f299e8a709fa2087374fc';
const ARBITRUM_WETH = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1';

test('on Arbitrum only ArbSys destroys the coin, and the wrapped coin’s issuing is wrapping', () => {
  const words = `0x${[0, 1, 2, 3, 4].map((value) => word(hex(value)).slice(2)).join('')}`;
  const nobody = address('0');
  const logs = [
    log([WITHDRAWN, word(BOB), hash(1), hash(2)], words),
    transfer(nobody, ALICE, 7, ARBITRUM_WETH),
    transfer(ALICE, nobody, 6, ARBITRUM_WETH),
  ];
  const { movements } = decode([{ receipt: { logs } }], { chain: 'arbitrum' });
  expect(movements.map(({ kind }) => kind)).toEqual(['transfer', 'wrap', 'unwrap', 'fee', 'fee']);
});

test('on Arbitrum a plain transfer is one whatever its posting costs', () => {
  const receipt = { gasUsed: hex(21_000 + 900), gasUsedForL1: hex(900) };
  expect(decode([{ receipt }], { chain: 'arbitrum' }).exempt.no_traces).toBeUndefined();
  const code = { gasUsed: hex(21_000 + 900), gasUsedForL1: hex(899) };
  expect(decode([{ receipt: code }], { chain: 'arbitrum' }).exempt.no_traces).toEqual([0]);
});

test('a chain that logs the coin’s movements still has the value of a transaction that logged none', () => {
  expect(rowsOf(decode([{}], { chain: 'polygon' }))[0]).toBe('transfer a>b 5 native');
});

test('who moved tokens is the contract itself where they are its own, and the sender where several could have', () => {
  const calls = [
    { type: 'CALL', from: MINER, to: TOKEN, input: '0x12345678' },
    { type: 'CALL', from: CAROL, to: TOKEN, input: '0x12345678' },
  ];
  const tokens = (first: object[], owner: string): string | undefined =>
    rowsOf(
      decode([{ receipt: { logs: [transfer(owner, ALICE, 3)] }, trace: { calls: first } }], {}, true),
    )[1];
  expect(tokens(calls.slice(0, 1), TOKEN)).toBe('transfer e>a 3 e');
  expect(tokens(calls, BOB)).toBe('transfer b>a 3 e by a');
});
