import { expect, test } from 'vitest';
import {
  ALICE,
  BLOCK_HASH,
  BOB,
  CAROL,
  decode,
  FEES,
  hash,
  hex,
  rowsOf,
  TOKEN,
  transfer,
  word,
} from '../../../testing/evm/small-evm-block.ts';
import { decodeEvmBlock } from '../decode-evm-block.ts';
import { bloomOf } from '../roots/bloom.ts';

type Decoded = ReturnType<typeof decode>;
const told = ({ problems }: Decoded): string[] => problems.map(({ code, txIndex }) => `${code} ${txIndex}`);
const bloom = (...logs: unknown[]): string => `0x${Buffer.from(bloomOf(logs)).toString('hex')}`;
const OWN = ['transfer a>b 5 native'];
const PAID = 'transfer a>c 3 e';

const one = { ...transfer(ALICE, CAROL, 3), logIndex: '0x0' };
const withLogs = (logs: object[], block: Record<string, unknown> = {}): Decoded =>
  decode([{ receipt: { logs } }], block);

test.each([
  ['that was taken back', { removed: true }],
  ['of another transaction', { transactionHash: hash(7) }],
  ['of another block', { blockHash: word('0xb10d') }],
  ['of a block of another number', { blockNumber: '0x1' }],
])('a log %s is no movement, and is told', (_, fields) => {
  const decoded = withLogs([
    { ...one, ...fields },
    { ...transfer(ALICE, BOB, 9), logIndex: '0x0' },
  ]);
  expect(rowsOf(decoded)).toEqual([...OWN, 'transfer a>b 9 e', ...FEES]);
  expect(told(decoded)).toEqual(['logs_contradict 0']);
  expect(decoded.exempt.logs_contradict).toEqual([0]);
});

test('a log that says in other letters, or not at all, where it belongs is its transaction’s own', () => {
  const places = [
    { transactionHash: hash(0).toUpperCase().replace('0X', '0x'), blockHash: BLOCK_HASH, removed: false },
    { transactionHash: null, blockHash: null, blockNumber: null, removed: null },
    { blockNumber: hex(20_000_000), transactionIndex: '0x0' },
  ];
  for (const place of places) {
    const decoded = withLogs([{ ...one, ...place }]);
    expect(rowsOf(decoded)).toContain(PAID);
    expect(told(decoded)).toEqual([]);
  }
});

test('a log told twice is one movement, and two that are alike are two', () => {
  const twice = withLogs([one, { ...one }]);
  expect(rowsOf(twice)).toEqual([...OWN, PAID, ...FEES]);
  expect(told(twice)).toEqual(['logs_contradict 0']);
  const two = withLogs([one, { ...one, logIndex: '0x1' }]);
  expect(rowsOf(two)).toEqual([...OWN, PAID, PAID, ...FEES]);
  expect(told(two)).toEqual([]);
});

test('a topic in upper case is the same topic', () => {
  const upper = {
    ...one,
    topics: (transfer(ALICE, CAROL, 3).topics as string[]).map(
      (topic) => `0x${topic.slice(2).toUpperCase()}`,
    ),
  };
  const decoded = withLogs([upper]);
  expect(rowsOf(decoded)).toContain(PAID);
  expect(told(decoded)).toEqual([]);
});

test('a failure with logs moved nothing, and is told', () => {
  const decoded = decode([{ receipt: { status: '0x0', logs: [one] } }]);
  expect(rowsOf(decoded)).toEqual(FEES);
  expect(told(decoded)).toEqual(['status_contradicts 0']);
});

test.each<[string, object[], string]>([
  ['has a log that no receipt tells', [], 'has logs that are not listed'],
  ['has not what a receipt tells', [one, { ...transfer(BOB, BOB, 9), logIndex: '0x1' }], 'not in the filter'],
])('a filter of the block that %s contradicts', (_, logs, message) => {
  const other = decode([{ receipt: { logs } }, { receipt: { logs: [{ ...transfer(CAROL, CAROL, 1) }] } }], {
    logsBloom: bloom(one, transfer(CAROL, CAROL, 1)),
  });
  expect(told(other)).toEqual(['receipts_contradict null']);
  expect(other.problems[0]?.message).toContain(message);
});

test('a filter of a receipt that has a log which it does not tell says which transaction it is', () => {
  const logsBloom = bloom(one, transfer(BOB, BOB, 9));
  const decoded = decode([{}, { receipt: { logs: [one], logsBloom } }]);
  expect(told(decoded)).toEqual(['receipts_contradict 1']);
});

test('an empty filter says nothing of logs, and one that has them all agrees', () => {
  expect(told(withLogs([one], { logsBloom: `0x${'0'.repeat(512)}` }))).toEqual([]);
  expect(told(withLogs([one], { logsBloom: bloom(one) }))).toEqual([]);
});

test.each([
  ['a gap', ['0x0', '0x2'], true],
  ['no first one', ['0x1', '0x2'], true],
  ['nothing of the kind', ['0x0', '0x1'], false],
])('logs that are numbered with %s contradict: %j, %s', (_, numbers, contradicts) => {
  const logs = numbers.map((logIndex, at) => ({ ...transfer(ALICE, CAROL, at + 1), logIndex }));
  expect(told(withLogs(logs))).toEqual(contradicts ? ['receipts_contradict null'] : []);
});

const gas = (...receipts: [used: number, upTo: number][]) =>
  receipts.map(([used, upTo]) => ({
    tx: { gas: '0x9999' },
    receipt: { gasUsed: hex(used), cumulativeGasUsed: hex(upTo) },
  }));
const feesOf = ({ movements }: Decoded): bigint[] =>
  movements.filter(({ kind, to }) => kind === 'fee' && to === null).map(({ amountRaw }) => amountRaw / 7n);

test.each<[string, [number, number][], number, bigint[], string[]]>([
  [
    'as it is',
    [
      [10, 10],
      [5, 15],
    ],
    15,
    [10n, 5n],
    [],
  ],
  [
    'with what was used before in it',
    [
      [10, 10],
      [15, 15],
    ],
    15,
    [10n, 5n],
    ['gas_contradicts 1'],
  ],
  [
    'without what was used before',
    [
      [10, 10],
      [5, 5],
    ],
    15,
    [10n, 5n],
    ['gas_contradicts null'],
  ],
  [
    'of another whole',
    [
      [10, 10],
      [5, 15],
    ],
    16,
    [10n, 5n],
    ['gas_contradicts null'],
  ],
  [
    'in no way that adds up',
    [
      [10, 11],
      [5, 15],
    ],
    16,
    [10n, 5n],
    ['gas_contradicts null'],
  ],
  [
    'that falls',
    [
      [10, 10],
      [9, 5],
    ],
    5,
    [10n, 9n],
    ['gas_contradicts null'],
  ],
  ['above what was allowed', [[0xfffff, 0xfffff]], 0xfffff, [0xfffffn], ['gas_contradicts 0']],
])('gas told %s: %j of %i', (_, receipts, gasUsed, used, codes) => {
  const decoded = decode(gas(...receipts), { gasUsed: hex(gasUsed) });
  expect(feesOf(decoded)).toEqual(used);
  expect(told(decoded)).toEqual(codes);
});

test('gas up to a receipt that is no number is told, and costs no row', () => {
  const [first, second] = gas([10, 10], [5, 15]);
  const broken = { ...second, receipt: { ...second?.receipt, cumulativeGasUsed: { toString: 1 } } };
  const decoded = decode([first ?? {}, broken], { gasUsed: hex(15) });
  expect(feesOf(decoded)).toEqual([10n, 5n]);
  expect(told(decoded)).toEqual(['gas_contradicts null']);
});

test('since Amsterdam a block’s gas is not the sum of what its transactions paid for', () => {
  const receipts = gas([10, 10], [5, 15]);
  const block = { gasUsed: hex(40), blockAccessListHash: hash(1) };
  expect(told(decode(receipts, block))).toEqual([]);
  expect(told(decode(receipts, { gasUsed: hex(40) }))).toEqual(['gas_contradicts null']);
});

test('a chain of which nothing is known may count the gas of a block as it likes', () => {
  const decoded = decode(gas([10, 10], [5, 15]), { chain: 'constructor', gasUsed: hex(16) });
  expect(told(decoded)).toEqual([]);
});

test.each(['from', 'to', 'transactionIndex'])('a receipt that tells another %s contradicts', (field) => {
  const decoded = decode([{ tx: { transactionIndex: '0x0' }, receipt: { [field]: TOKEN } }]);
  expect(told(decoded)).toEqual(['receipts_contradict 0']);
});

test('a transaction listed twice is paid once, and is told', () => {
  const block = { hash: BLOCK_HASH, parentHash: word('0x1'), timestamp: '0x1', miner: CAROL };
  const tx = {
    hash: hash(0),
    from: ALICE,
    to: BOB,
    value: '0x5',
    gas: '0x5208',
    gasPrice: '0xa',
    input: '0x',
  };
  const receipt = { transactionHash: hash(0), status: '0x1', gasUsed: '0x5208', logs: [] };
  const decoded = decodeEvmBlock({
    chain: 'ethereum',
    block: { ...block, number: '0x1', difficulty: '0x0', transactions: [tx, { ...tx }] },
    receipts: [receipt, { ...receipt }],
    traces: null,
  });
  expect(rowsOf(decoded).filter((row) => row.startsWith('transfer'))).toEqual(OWN);
  expect(told(decoded)).toEqual(['transaction_repeated 1']);
});

test('a transaction of another block refuses the block', () => {
  expect(() => decode([{ tx: { blockHash: hash(8) } }])).toThrow(/belongs to block/);
});
