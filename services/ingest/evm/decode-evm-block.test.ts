import { expect, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { BlockFormatError } from '../block-format-error.ts';
import { decodeEvmBlock } from './decode-evm-block.ts';

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const address = (digit: string): string => `0x${digit.repeat(40)}`;
const word = (value: string): string => `0x${value.replace(/^0x/, '').padStart(64, '0')}`;
const hash = (position: number): string => word(hex(position + 1));

const ALICE = address('a');
const BOB = address('b');
const CAROL = address('c');
const MINER = address('d');
const TOKEN = address('e');
const BLOCK_HASH = word('0xb10c');
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';

type Part = {
  tx?: Record<string, unknown>;
  receipt?: Record<string, unknown>;
  trace?: Record<string, unknown> | null;
};

/** A block of plain transfers (5 wei from Alice to Bob at a price of 10, base fee 7), changed where a test says so. */
const decode = (
  parts: Part[],
  { chain = 'ethereum', ...block }: Record<string, unknown> & { chain?: string } = {},
  traced = false,
): DecodedBlock => {
  const transactions = parts.map(({ tx }, position) => ({
    hash: hash(position),
    from: ALICE,
    to: BOB,
    value: '0x5',
    gas: '0x5208',
    gasPrice: '0xa',
    input: '0x',
    type: '0x2',
    ...tx,
  }));
  return decodeEvmBlock({
    chain,
    block: {
      number: hex(20_000_000),
      hash: BLOCK_HASH,
      parentHash: word('0x1'),
      timestamp: '0x66000000',
      miner: MINER,
      baseFeePerGas: '0x7',
      difficulty: '0x0',
      uncles: [],
      transactions,
      ...block,
    },
    receipts: parts.map(({ receipt }, position) => ({
      transactionHash: hash(position),
      blockHash: BLOCK_HASH,
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: '0xa',
      contractAddress: null,
      logs: [],
      ...receipt,
    })),
    traces: traced
      ? parts.map(({ tx, trace }, position) => ({
          txHash: hash(position),
          result: { type: 'CALL', from: ALICE, to: BOB, value: tx?.value ?? '0x5', input: '0x', ...trace },
        }))
      : null,
  });
};

const rowsOf = ({ movements }: DecodedBlock): string[] =>
  movements.map(({ kind, from, to, asset, amountRaw, authority }) => {
    const name = (party: string | null): string =>
      party?.replace(/^0x(.)\1{38}.*$/, '$1').replace(/^0x(.*)$/, '$1') ?? 'nobody';
    return `${kind} ${name(from)}>${name(to)} ${amountRaw} ${name(asset)}${authority === null ? '' : ` by ${name(authority)}`}`;
  });

const log = (topics: string[], data: string, at = TOKEN): Record<string, unknown> => ({
  address: at,
  topics,
  data,
});
const transfer = (from: string, to: string, amount: number, at = TOKEN): Record<string, unknown> =>
  log([TRANSFER, word(from), word(to)], word(hex(amount)), at);

const FEES = ['fee a>d 63000 native', 'fee a>nobody 147000 native'];

test('the base fee is burnt and the rest goes to the fee recipient', () => {
  expect(rowsOf(decode([{}]))).toEqual(['transfer a>b 5 native', ...FEES]);
});

test('without effectiveGasPrice the gas price counts, and before London all of it is the miner’s', () => {
  const decoded = decode([{ receipt: { effectiveGasPrice: undefined } }], { baseFeePerGas: undefined });
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', 'fee a>d 210000 native']);
});

test('where no price is told there is no fee row, and the transaction is exempt', () => {
  const decoded = decode([{ tx: { gasPrice: undefined }, receipt: { effectiveGasPrice: undefined } }]);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native']);
  expect(decoded.exempt).toEqual({ fee_unknown: [0] });
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

test('a failed transaction gives only its fee, whatever its trace holds', () => {
  const trace = {
    error: 'execution reverted',
    calls: [{ type: 'CALL', from: BOB, to: CAROL, value: '0x9' }],
  };
  const decoded = decode([{ receipt: { status: '0x0' }, trace }], {}, true);
  expect(rowsOf(decoded)).toEqual(FEES);
  expect(decoded.problems).toEqual([]);
});

test('value moves with calls and creations, not with delegated code, and not below an error', () => {
  const frame = (type: string, value: number, more = {}): object => ({
    type,
    from: BOB,
    to: CAROL,
    value: hex(value),
    input: '0x',
    ...more,
  });
  const calls = [
    frame('CALL', 1, {
      calls: [frame('CREATE', 2), frame('DELEGATECALL', 3, { calls: [frame('CREATE2', 4)] })],
    }),
    frame('CALLCODE', 5),
    frame('STATICCALL', 0, { value: undefined }),
    frame('CALL', 6, { error: 'out of gas', calls: [frame('CALL', 7)] }),
    frame('SELFDESTRUCT', 8),
  ];
  expect(rowsOf(decode([{ trace: { calls } }], {}, true)).slice(0, -2)).toEqual([
    'transfer a>b 5 native',
    'transfer b>c 1 native',
    'transfer b>c 2 native',
    'transfer b>c 4 native',
    'transfer b>c 8 native',
  ]);
});

test.each([
  [
    'before Cancun an account that destroys itself to itself burns what it held',
    {},
    [],
    ['burn b>nobody 9 native'],
  ],
  ['since Cancun that moves nothing', { parentBeaconBlockRoot: hash(0) }, [], []],
  [
    'since Cancun an account made by the same transaction still burns it',
    { parentBeaconBlockRoot: hash(0) },
    [{ type: 'CREATE', from: CAROL, to: BOB, value: '0x0', input: '0x' }],
    ['burn b>nobody 9 native'],
  ],
])('%s', (_, block, before, expected) => {
  const calls = [...before, { type: 'SELFDESTRUCT', from: BOB, to: BOB, value: '0x9', input: '0x' }];
  expect(rowsOf(decode([{ trace: { calls } }], block, true))).toEqual([
    'transfer a>b 5 native',
    ...expected,
    ...FEES,
  ]);
});

test('what a destroyed account is sent afterwards ends with it', () => {
  const calls = [
    { type: 'SELFDESTRUCT', from: BOB, to: CAROL, value: '0x5', input: '0x' },
    { type: 'CALL', from: CAROL, to: BOB, value: '0x2', input: '0x' },
  ];
  expect(rowsOf(decode([{ trace: { calls } }], {}, true)).slice(1, 4)).toEqual([
    'transfer b>c 5 native',
    'transfer c>b 2 native',
    'burn b>nobody 2 native',
  ]);
});

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
  const code = { tx: { input: '0xa9059cbb' }, receipt: { gasUsed: '0x9999' } };
  expect(decode([{}, code, { ...code, receipt: { status: '0x0' } }]).exempt).toEqual({ no_traces: [1] });
});

test('a trace that contradicts its transaction is not believed', () => {
  for (const trace of [{ from: CAROL }, { value: '0x6' }, { error: 'reverted' }]) {
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
  const decoded = decode(parts, { difficulty: '0x1' });
  expect(decoded.exempt.status_unknown).toEqual([2]);
  expect(rowsOf(decoded).filter((row) => row.startsWith('transfer'))).toHaveLength(3);
  const failed = decode([{ receipt, trace: { error: 'out of gas' } }], {}, true);
  expect(rowsOf(failed)).toEqual(FEES);
  expect(failed.problems).toEqual([]);
});

test('token logs are transfers, issued from or destroyed to the null address; zero amounts are kept', () => {
  const nobody = address('0');
  const logs = [
    transfer(ALICE, BOB, 3),
    transfer(nobody, BOB, 4),
    transfer(ALICE, nobody, 5),
    transfer(ALICE, BOB, 0),
  ];
  expect(rowsOf(decode([{ receipt: { logs } }])).slice(1, 5)).toEqual([
    'transfer a>b 3 e',
    'mint nobody>b 4 e by a',
    'burn a>nobody 5 e',
    'transfer a>b 0 e',
  ]);
});

test('ERC-721 is not money, logs of another form are counted, broken ones are problems, and the rest stands', () => {
  const logs = [
    log([TRANSFER, word(ALICE), word(BOB), word('0x1')], '0x'),
    log([TRANSFER], `0x${'0'.repeat(192)}`),
    log([TRANSFER, word(ALICE), word(BOB)], `0x${'zz'.repeat(32)}`),
    { address: TOKEN },
    transfer(ALICE, BOB, 3),
  ];
  const decoded = decode([{ receipt: { logs } }]);
  expect(rowsOf(decoded)).toEqual(['transfer a>b 5 native', 'transfer a>b 3 e', ...FEES]);
  expect(decoded.exempt).toEqual({ log_malformed: [0], transfer_log_nonstandard: [0] });
});

test('wrapping has a row in the wrapped coin’s contract beside the coin’s own, and is no swap', () => {
  const deposit = log(
    ['0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c', word(ALICE)],
    word('0x5'),
    WETH,
  );
  const decoded = decode([{ tx: { to: WETH }, receipt: { logs: [deposit] } }]);
  const [coin, wrapped] = decoded.movements;
  expect(coin).toMatchObject({ kind: 'transfer', from: ALICE, to: WETH, asset: 'native', amountRaw: 5n });
  expect(wrapped).toMatchObject({ kind: 'wrap', from: null, to: ALICE, asset: WETH, amountRaw: 5n });
  expect(decoded.swaps).toEqual([]);
  const other = decode([{ receipt: { logs: [{ ...deposit, address: TOKEN }] } }]);
  expect(rowsOf(other)).toEqual(['transfer a>b 5 native', ...FEES]);
});

test('a spender is the authority of tokens that it moves, the owner is not', () => {
  const words = word(BOB).slice(2) + word(CAROL).slice(2) + word('0x3').slice(2);
  const calls = [
    { type: 'CALL', from: MINER, to: TOKEN, input: `0x23b872dd${words}` },
    { type: 'CALL', from: CAROL, to: TOKEN, input: '0xa9059cbb' },
  ];
  const logs = [transfer(BOB, CAROL, 3), transfer(CAROL, ALICE, 4)];
  const decoded = decode([{ receipt: { logs }, trace: { calls } }], {}, true);
  expect(rowsOf(decoded).slice(1, 3)).toEqual(['transfer b>c 3 e by d', 'transfer c>a 4 e']);
  // Without a trace the sender is the best guess.
  expect(rowsOf(decode([{ receipt: { logs } }])).slice(1, 3)).toEqual([
    'transfer b>c 3 e by a',
    'transfer c>a 4 e by a',
  ]);
});

test('the sender’s swap is found, and a smart account’s whose operation was bundled', () => {
  const token = address('f');
  const logs = [transfer(CAROL, MINER, 7), transfer(MINER, CAROL, 8, token)];
  const operation = log(
    ['0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f', hash(1), word(CAROL), word('0x0')],
    '0x',
  );
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

test('Polygon’s own logs tell who got the fee and what moved inside, and are no tokens', () => {
  const coin = '0x0000000000000000000000000000000000001010';
  const native = (topic: string, from: string, to: string, amount: number): Record<string, unknown> =>
    log([topic, word(coin), word(from), word(to)], word(hex(amount)) + '0'.repeat(256), coin);
  const moved = '0xe6497e3ee548a3372136af2fcb0696db31fc6cf20260707645068bd3fe97f3c4';
  const paid = '0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63';
  const logs = [
    native(moved, ALICE, BOB, 5),
    native(moved, BOB, CAROL, 2),
    transfer(BOB, CAROL, 2, coin),
    native(moved, BOB, CAROL, 2),
    native(paid, ALICE, MINER, 63_000),
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

test.each([
  ['not_an_object', { block: [] }],
  ['field_missing', { block: { number: undefined } }],
  ['field_malformed', { block: { hash: '0x1' } }],
  ['not_an_array', { receipts: {} }],
  ['count_mismatch', { receipts: [] }],
  ['transactions_not_full', { block: { transactions: [hash(0)] } }],
  ['block_mismatch', { receipts: [{ transactionHash: hash(0), blockHash: hash(3) }] }],
  ['count_mismatch', { traces: [{ result: {} }, { result: {} }] }],
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
