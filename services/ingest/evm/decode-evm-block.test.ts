import { expect, test } from 'vitest';
import {
  ALICE,
  address,
  BLOCK_HASH,
  BOB,
  CAROL,
  decode,
  FEES,
  hash,
  hex,
  log,
  MINER,
  type Part,
  rowsOf,
  TOKEN,
  transfer,
  word,
} from '../../testing/evm/small-evm-block.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { decodeEvmBlock } from './decode-evm-block.ts';

test('the base fee is burnt and the rest goes to the fee recipient', () => {
  expect(rowsOf(decode([{}]))).toEqual(['transfer a>b 5 native', ...FEES]);
});

test('without effectiveGasPrice the gas price counts, and before London all of it is the miner’s', () => {
  const decoded = decode([{ receipt: { effectiveGasPrice: undefined } }], {
    ...{ number: hex(12_964_999), baseFeePerGas: undefined },
  });
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', 'fee a>d 210000 native']);
});

test.each([
  ['ethereum', 12_965_000],
  ['polygon', 23_850_000],
  ['arbitrum', 22_207_817],
  ['optimism', 105_235_063],
  ['base', 1],
  ['sepolia', 1],
])('on %s since block %i a header without its base fee divides no fee', (chain, number) => {
  const at = { chain, number: hex(number), baseFeePerGas: undefined };
  const decoded = decode([{}, { receipt: { status: '0x0' } }], at);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native']);
  expect(decoded.exempt).toMatchObject({ fee_unknown: [0, 1] });
  // The first blocks of Nitro and Bedrock also say that they began with balances.
  const problems = decoded.problems.filter(({ txIndex }) => txIndex !== null);
  expect(problems.map(({ code, txIndex }) => `${code} ${txIndex}`)).toEqual([
    'fee_unknown 0',
    'fee_unknown 1',
  ]);
});

test('where no price is told there is no fee row, and the transaction is exempt', () => {
  const decoded = decode([{ tx: { gasPrice: undefined }, receipt: { effectiveGasPrice: undefined } }]);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native']);
  expect(decoded.exempt).toEqual({ fee_unknown: [0] });
});

test('a fee beyond 256 bits, which no table could hold, is a problem of its transaction', () => {
  const gasPrice = `0x${'f'.repeat(64)}`;
  const decoded = decode([{ tx: { gasPrice }, receipt: { effectiveGasPrice: gasPrice } }, {}]);
  expect(decoded.problems).toMatchObject([{ code: 'transaction_malformed', txIndex: 0 }]);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', ...FEES]);
});

test('a time that the tables cannot hold refuses the block', () => {
  expect(() => decode([], { timestamp: '0x100000000' })).toThrow(BlockFormatError);
});

test('a blob transaction burns its blob fee, and cannot be charged where the price is missing', () => {
  const tx = { type: '0x3', blobVersionedHashes: [hash(0), hash(1)] };
  const decoded = decode([{ tx, receipt: { blobGasUsed: hex(262_144), blobGasPrice: '0x3' } }, { tx }]);
  expect(rowsOf(decoded).slice(0, 4)).toEqual([
    'transfer a>b 5 native',
    ...FEES,
    'fee a>nobody 786432 native',
  ]);
  expect(decoded.problems.map(({ code, txIndex }) => `${code} ${txIndex}`)).toEqual(['fee_unknown 1']);
});

test('where a source leaves the hashes of blobs out, the receipt tells what they cost, and without it nobody', () => {
  const tx = { type: '0x3' };
  const decoded = decode([{ tx, receipt: { blobGasUsed: hex(262_144), blobGasPrice: '0x3' } }, { tx }]);
  expect(rowsOf(decoded)[3]).toBe('fee a>nobody 786432 native');
  expect(decoded.exempt).toEqual({ fee_unknown: [1] });
});

test('a failed transaction gives only its fee, whatever its trace holds', () => {
  const trace = {
    error: 'execution reverted',
    calls: [{ type: 'CALL', from: BOB, to: CAROL, value: '0x9' }],
  };
  const decoded = decode([{ receipt: { status: '0x0' }, trace }], {}, true);
  expect(rowsOf(decoded)).toEqual(FEES);
  expect(decoded.problems).toEqual([]);
});

test('a transaction that is traced as delegated code keeps its own value, and its trace is not believed', () => {
  const decoded = decode([{ trace: { type: 'DELEGATECALL' } }], {}, true);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', ...FEES]);
  expect(decoded.exempt).toEqual({ trace_malformed: [0] });
});

test.each(['Call', 'call', 'SUICIDE', 'INVALID', null, 7])(
  'of a trace with a frame of type %s nothing is believed, and the transaction’s own value stands',
  (type) => {
    const inner = { calls: [{ type, from: BOB, to: CAROL, value: '0x9', input: '0x' }] };
    for (const trace of [
      { type },
      inner,
      { calls: [{ type: 'DELEGATECALL', from: BOB, to: CAROL, ...inner }] },
    ]) {
      const decoded = decode([{ trace }], {}, true);
      expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', ...FEES]);
      expect(decoded.problems).toMatchObject([{ code: 'trace_malformed', txIndex: 0 }]);
      expect(decoded.exempt).toEqual({ trace_malformed: [0] });
    }
  },
);

test('a created contract gets the value, by the trace or by the receipt', () => {
  const part = {
    tx: { to: null },
    receipt: { contractAddress: CAROL },
    trace: { type: 'CREATE', to: CAROL },
  };
  expect(rowsOf(decode([part]))[0]).toBe('transfer a>c 5 native');
  expect(rowsOf(decode([part], {}, true))[0]).toBe('transfer a>c 5 native');
});

test('without traces those are exempt that may have moved more than their own value', () => {
  const code = { tx: { input: '0xa9059cbb', gas: '0x9999' }, receipt: { gasUsed: '0x9999' } };
  expect(decode([{}, code, { ...code, receipt: { status: '0x0' } }]).exempt).toEqual({ no_traces: [1] });
});

test('code that cost less than a plain transfer, because of what it freed, may have moved more than its own value', () => {
  expect(decode([{ receipt: { gasUsed: hex(13_012) } }]).exempt).toEqual({ no_traces: [0] });
  const deposit = { tx: { type: '0x64' }, receipt: { gasUsed: '0x0' } };
  expect(decode([deposit], { chain: 'arbitrum' }).exempt).toEqual({});
});

test('a trace that contradicts its transaction is not believed', () => {
  for (const trace of [{ from: CAROL }, { to: CAROL }, { value: '0x6' }, { error: 'reverted' }]) {
    const decoded = decode([{ trace }], {}, true);
    expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', ...FEES]);
    expect(decoded.exempt).toEqual({ trace_contradicts: [0] });
  }
});

test('a transaction without a trace in a traced block is a problem of its own', () => {
  const decoded = decodeEvmBlock({
    chain: 'ethereum',
    block: {
      number: '0x1',
      hash: BLOCK_HASH,
      parentHash: word('0x1'),
      timestamp: '0x1',
      miner: MINER,
      difficulty: '0x0',
      transactions: [
        { hash: hash(0), from: ALICE, to: BOB, value: '0x5', gas: '0x5208', gasPrice: '0x0', input: '0x' },
      ],
    },
    receipts: [{ transactionHash: hash(0), status: '0x1', gasUsed: '0x5208', logs: [] }],
    traces: [{ txHash: hash(0), error: 'execution timeout' }],
  });
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native']);
  expect(decoded.exempt).toEqual({ trace_missing: [0] });
});

test('an old receipt is decided by the trace, else by the gas left over, else it is unknown', () => {
  const receipt = { status: undefined, root: hash(9) };
  const call = { input: '0x12345678' };
  const parts: Part[] = [
    { receipt },
    { receipt: { ...receipt, gasUsed: '0x5207' }, tx: call },
    { receipt, tx: call },
    { receipt: { ...receipt, logs: [log([], '0x')] }, tx: call },
  ];
  const decoded = decode(parts, { number: hex(4_369_999), difficulty: '0x1' });
  expect(decoded.exempt.status_unknown).toEqual([2]);
  expect(rowsOf(decoded).filter((row) => row.startsWith('transfer'))).toHaveLength(3);
  const failed = decode([{ receipt, trace: { error: 'out of gas' } }], {}, true);
  expect(rowsOf(failed)).toEqual(FEES);
  expect(failed.problems).toEqual([]);
});

test('a receipt that lacks its status since Byzantium is decided by the trace or a log, never by the gas left over', () => {
  const receipt = { status: undefined };
  const reverted = { receipt: { ...receipt, gasUsed: '0x5207' }, tx: { input: '0x12345678' } };
  for (const at of [{ number: hex(4_370_000) }, {}, { chain: 'polygon', number: '0x1' }]) {
    const block = { ...at, difficulty: '0x0', baseFeePerGas: undefined };
    const { movements, exempt } = decode([reverted, { receipt }], block);
    expect(movements.filter(({ kind }) => kind === 'transfer')).toEqual([]);
    expect(exempt.status_unknown).toEqual([0, 1]);
  }
  const logged = { receipt: { ...receipt, logs: [transfer(ALICE, BOB, 3)] } };
  expect(rowsOf(decode([logged]))).toEqual(['transfer a>b 5 native', 'transfer a>b 3 e', ...FEES]);
  expect(rowsOf(decode([{ receipt }], {}, true))).toEqual(['transfer a>b 5 native', ...FEES]);
});

const operationOf = (account: string, at: string) =>
  log(
    [
      '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f',
      hash(1),
      word(account),
      word('0x0'),
    ],
    '0x',
    at,
  );

test('an operation that anybody else logs makes nobody an owner: the mirror image of a swap is none', () => {
  const [pool, token] = [address('5'), address('f')];
  const logs = [transfer(ALICE, pool, 100), transfer(pool, ALICE, 99, token)];
  const { swaps } = decode([{ receipt: { logs: [...logs, operationOf(pool, address('7'))] } }]);
  expect(swaps.map(({ owner }) => owner)).toEqual([ALICE]);
});

test('the sender’s swap is found, and a smart account’s whose operation was bundled', () => {
  const token = address('f');
  const logs = [transfer(CAROL, MINER, 7), transfer(MINER, CAROL, 8, token)];
  const operation = operationOf(CAROL, '0x0000000071727de22e5e9d8baf0edac6f37da032');
  expect(decode([{ tx: { value: '0x0' }, receipt: { logs } }]).swaps).toEqual([]);
  expect(decode([{ tx: { value: '0x0' }, receipt: { logs: [...logs, operation] } }]).swaps).toEqual([
    expect.objectContaining({
      owner: CAROL,
      gaveAsset: TOKEN,
      gaveRaw: 7n,
      gotAsset: token,
      gotRaw: 8n,
      through: MINER,
    }),
  ]);
  expect(decode([{ tx: { from: CAROL, value: '0x0' }, receipt: { logs } }]).swaps).toHaveLength(1);
  // A bot: the contract that was called trades in its own name.
  expect(decode([{ tx: { to: CAROL, value: '0x0' }, receipt: { logs } }]).swaps).toHaveLength(1);
});

test('one broken transaction is a problem, and the rest of the block stands', () => {
  const decoded = decode([{ tx: { from: 'nobody' } }, {}, { receipt: { transactionHash: hash(77) } }]);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', ...FEES]);
  expect(decoded.problems.map(({ code, txIndex }) => `${code} ${txIndex}`)).toEqual([
    'transaction_malformed 0',
    'receipt_missing 2',
  ]);
  expect(decoded.exempt).toEqual({ transaction_malformed: [0], receipt_missing: [2] });
});

test('addresses and hashes come out in lower case', () => {
  const upper = `0x${'A'.repeat(40)}`;
  const decoded = decode([
    { tx: { from: upper, to: upper }, receipt: { logs: [transfer(upper, upper, 1)] } },
  ]);
  expect(decoded.movements.every(({ from }) => from === ALICE)).toBe(true);
  expect(decoded.transactions[0]?.sender).toBe(ALICE);
});

const MANY = Array.from({ length: 100_001 }, () => ({}));

test.each([
  ['not_an_object', { block: [] }],
  ['field_missing', { block: { number: undefined } }],
  ['field_malformed', { block: { hash: '0x1' } }],
  ['not_an_array', { receipts: {} }],
  ['count_mismatch', { receipts: [] }],
  ['transactions_not_full', { block: { transactions: [hash(0)] } }],
  ['transactions_not_full', { block: { transactions: [0] } }],
  ['too_many_transactions', { block: { transactions: MANY }, receipts: MANY }],
  ['block_mismatch', { receipts: [{ transactionHash: hash(0), blockHash: hash(3) }] }],
  ['count_mismatch', { traces: [{ result: {} }, { result: {} }] }],
  ['transactions_missing', { block: { gasUsed: '0x5208', transactions: [] }, receipts: [] }],
  ['logs_missing', { receipts: [{ transactionHash: hash(0), logsBloom: '0x0004', logs: [] }] }],
  ['logs_missing', { block: { logsBloom: '0x0004' }, receipts: [{ transactionHash: hash(0), logs: [] }] }],
])('a block of another shape is refused as %s', (code, change: Record<string, unknown>) => {
  const block = {
    number: '0x1',
    hash: BLOCK_HASH,
    parentHash: hash(0),
    timestamp: '0x1',
    miner: MINER,
    transactions: [{ hash: hash(0) }],
  };
  const input = {
    chain: 'ethereum',
    block,
    receipts: [{ transactionHash: hash(0), blockHash: BLOCK_HASH }],
    traces: null,
  };
  const changed = Array.isArray(change.block) ? change.block : { ...block, ...(change.block as object) };
  const attempt = (): unknown => decodeEvmBlock({ ...input, ...change, block: changed });
  expect(attempt).toThrow(BlockFormatError);
  expect(attempt).toThrow(expect.objectContaining({ code }));
});
