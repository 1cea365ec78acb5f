import { expect, test } from 'vitest';
import { TRANSFER, word } from '../../../testing/evm/small-evm-block.ts';
import { readAddress } from '../../../testing/nodes/read-address.ts';
import {
  type ScriptedAnswer,
  type ScriptedCall,
  startScriptedNode,
} from '../../../testing/nodes/scripted-node.ts';
import { openEvmNode } from './open-evm-node.ts';

const retry = { attempts: 3, firstWaitMs: 1, longestWaitMs: 5 };
const hash = (digit: string): string => `0x${digit.repeat(64)}`;
const hex = (number: number): string => `0x${number.toString(16)}`;
const address = (digit: string): string => `0x${digit.repeat(40)}`;

const LOG = { blockNumber: '0x5', transactionHash: hash('1') };
const TRANSACTION = {
  hash: hash('1'),
  blockHash: hash('b'),
  blockNumber: '0x5',
  transactionIndex: '0x0',
  from: address('b'),
  to: address('a'),
  value: '0x5',
  gas: '0x5208',
  gasPrice: '0x1',
  input: '0x',
};
const RECEIPT = {
  transactionHash: hash('1'),
  blockHash: hash('b'),
  status: '0x1',
  gasUsed: '0x5208',
  logs: [],
};
const PAID = {
  address: address('e'),
  topics: [TRANSFER, word(address('c')), word(address('a'))],
  data: word('0x5'),
};
const ANSWERS: Readonly<Record<string, unknown>> = {
  eth_getBlockByNumber: {
    number: '0x5',
    hash: hash('b'),
    parentHash: hash('a'),
    timestamp: '0x1',
    miner: address('d'),
    transactions: [],
  },
  eth_getLogs: [LOG],
  trace_filter: [],
  eth_getTransactionByHash: TRANSACTION,
  eth_getTransactionReceipt: RECEIPT,
  debug_traceTransaction: {
    type: 'CALL',
    from: address('b'),
    to: address('a'),
    value: '0x5',
    input: '0x',
  },
  eth_getBalance: '0x5',
};

/** Reads a wallet from a node that answers as `answer` says, and else as it should. */
const readAll = async (
  answer: (call: ScriptedCall) => ScriptedAnswer | null,
  chain = 'ethereum',
  transactionsMax = 5,
  limits: { answerBytesMax?: number } = {},
) => {
  const node = await startScriptedNode({
    answer: (call) => answer(call) ?? known(call),
  });
  const opened = openEvmNode({ chain, url: node.url, retry, ...limits });
  const { blocks, coverage } = await readAddress(opened, { address: address('a'), limit: transactionsMax });
  return { transactions: blocks.length, coverage };
};

/** Any other method is missing. */
const known = ({ method }: ScriptedCall): ScriptedAnswer =>
  method in ANSWERS
    ? { result: ANSWERS[method] }
    : { error: { code: -32_601, message: `the method ${method} does not exist` } };

test('a wallet’s transaction is read with what it moved', async () => {
  expect(await readAll(() => null)).toEqual({ transactions: 1, coverage: 'complete' });
});

test.each([
  ['a reward that the node lists beside', 'trace_filter', [{ type: 'reward', blockNumber: 5, value: '0x2' }]],
  ['a withdrawal that no list has', 'eth_getBlockByNumber', ANSWERS.eth_getBlockByNumber],
])('a wallet with %s is not complete: its balance says that there was more', async (_, listed, result) => {
  const reading = readAll(({ method }) => {
    if (method === 'eth_getBalance') return { result: '0x7' };
    return method === listed ? { result } : null;
  });
  expect(await reading).toEqual({ transactions: 1, coverage: 'coin_transfers_left_out' });
});

test.each<ScriptedAnswer>([{ error: { code: -32_000, message: 'missing trie node' } }, { result: null }])(
  'a wallet whose balance the node does not tell (%j) is not said to be complete',
  async (balance) => {
    const reading = readAll(({ method }) => (method === 'eth_getBalance' ? balance : null));
    expect(await reading).toEqual({ transactions: 1, coverage: 'coin_transfers_left_out' });
  },
);

test('a transaction without logs is read, whatever others of its block logged', async () => {
  const block = { ...(ANSWERS.eth_getBlockByNumber as object), logsBloom: '0x0004' };
  const reading = readAll(({ method }) => (method === 'eth_getBlockByNumber' ? { result: block } : null));
  expect(await reading).toEqual({ transactions: 1, coverage: 'complete' });
});

const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';

test('a transaction that only wrapped the coin is found by its log, also at a node that lists no traces', async () => {
  const asksFor = ({ params: [filter] }: ScriptedCall, topic: string): boolean => {
    const { topics = [] } = filter as { topics?: unknown[] };
    return [topics[0]].flat().includes(topic) && topics[1] === `0x${'a'.repeat(40).padStart(64, '0')}`;
  };
  const reading = readAll((call) => {
    if (call.method === 'eth_getLogs') return { result: asksFor(call, DEPOSIT) ? [LOG] : [] };
    return call.method === 'trace_filter' ? { error: { code: -32_601, message: 'Method not found' } } : null;
  });
  expect(await reading).toEqual({ transactions: 1, coverage: 'coin_transfers_left_out' });
});

/** A node whose newest final block is this one; of the span of a question it is told what to answer. */
const readFrom = (
  newest: number,
  answerTo: (call: ScriptedCall, span: { first: number; last: number }) => ScriptedAnswer | null,
  transactionsMax?: number,
) =>
  readAll(
    (call) => {
      const [filter] = call.params;
      if (filter === 'finalized') return { result: { number: hex(newest) } };
      const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock?: string; toBlock?: string };
      return answerTo(call, { first: Number(fromBlock), last: Number(toBlock) });
    },
    'ethereum',
    transactionsMax,
  );

test('a node that refuses too many results is asked for fewer at once, and never for as many again', async () => {
  const asked: string[] = [];
  const reading = readFrom(16_000, ({ method, params: [filter] }, { first, last }) => {
    if (method !== 'eth_getLogs') return null;
    asked.push(JSON.stringify(filter));
    if (last - first < 3_000) return { result: first <= 5 && last >= 5 ? [LOG] : [] };
    const message = 'query returned more than 10000 results. Try with this block range [0x0, 0x400].';
    return { error: { code: -32_005, message } };
  });
  expect(await reading).toEqual({ transactions: 1, coverage: 'complete' });
  expect(new Set(asked).size).toBe(asked.length);
});

/** A node that lists a hundred logs at most and does not say so; so many stand in one block, and one in another. */
const readCut = (kept: 'oldest' | 'newest', many: string, one: string) => {
  const logs = Array.from({ length: 100 }, () => ({ ...LOG, blockNumber: many }));
  const whole = [...logs, { blockNumber: one, transactionHash: hash('2') }];
  return readFrom(16_000, ({ method, params: [asked] }, { first, last }) => {
    if (method === 'eth_getLogs') {
      const within = whole.filter(({ blockNumber: at }) => first <= Number(at) && Number(at) <= last);
      within.sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber));
      return { result: kept === 'oldest' ? within.slice(0, 100) : within.slice(-100) };
    }
    if (asked !== hash('2')) return null;
    const free = { hash: hash('2'), transactionHash: hash('2'), value: '0x0' };
    return { result: { ...(ANSWERS[method] as object), ...free } };
  });
};

test.each([
  ['oldest', '0x3714', '0x3e1c'],
  ['newest', '0x3e1c', '0x3714'],
] as const)(
  'of a node that lists only the %s logs and does not say so, fewer are asked for and none is left out',
  async (kept, many, one) => {
    expect(await readCut(kept, many, one)).toEqual({ transactions: 2, coverage: 'complete' });
  },
);

test('of blocks that hold more than a node tells at once fewer and fewer are asked for, and all is read', async () => {
  expect(await readCut('oldest', '0x3714', '0x3715')).toEqual({ transactions: 2, coverage: 'complete' });
});

test.each<[string, ScriptedAnswer]>([
  ['are larger than is read', { result: 'x'.repeat(8 << 10) }],
  ['a node refuses as too large', { error: { code: -32_008, message: 'Response is too big' } }],
])('calls with so much in them that their list %s keep nothing else from being read', async (_, large) => {
  const answerTo = ({ method, params: [filter] }: ScriptedCall) => {
    if (filter === 'finalized') return { result: { number: hex(16_000) } };
    const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock?: string; toBlock?: string };
    const holds = (block: number) => Number(fromBlock) <= block && block <= Number(toBlock);
    if (method === 'trace_filter') return holds(15_000) ? large : { result: [] };
    return method === 'eth_getLogs' ? { result: holds(5) ? [LOG] : [] } : null;
  };
  const reading = readAll(answerTo, 'ethereum', 5, { answerBytesMax: 4 << 10 });
  expect(await reading).toEqual({ transactions: 1, coverage: 'coin_transfers_left_out' });
});

test('a block with more logs that name a wallet than a node tells keeps nothing older from being read, and is said to be left out', async () => {
  const reading = readFrom(16_000, ({ method }, { first, last }) => {
    if (method !== 'eth_getLogs') return null;
    const error = { code: -32_005, message: 'query returned more than 10000 results' };
    if (first <= 15_000 && 15_000 <= last) return { error };
    return { result: first <= 5 && last >= 5 ? [LOG] : [] };
  });
  expect(await reading).toEqual({ transactions: 1, coverage: 'transfers_left_out' });
});

test('a node whose plan has no list of traces gives the tokens, and says what is missing', async () => {
  const message = 'trace_filter is not available on the Free tier - upgrade to Pay As You Go';
  const reading = readFrom(16_000, ({ method }, { first, last }) => {
    if (method === 'trace_filter') return { error: { code: -32_600, message } };
    return method === 'eth_getLogs' ? { result: first <= 5 && last >= 5 ? [LOG] : [] } : null;
  });
  expect(await reading).toEqual({ transactions: 1, coverage: 'coin_transfers_left_out' });
});

test('the newest transactions are read before more is asked than a node may answer, or answer soon', async () => {
  let refused = 0;
  let refusedBefore: number | null = null;
  const reading = readFrom(5_000_000, ({ method }, { first, last }) => {
    if (method === 'eth_getTransactionByHash') refusedBefore ??= refused;
    if (method !== 'eth_getLogs') return null;
    if (last - first < 1_000_000) return { result: last === 5_000_000 ? [LOG] : [] };
    refused += 1;
    return { error: { code: -32_602, message: 'query exceeds max block range' } };
  });
  expect(await reading).toEqual({ transactions: 1, coverage: 'complete' });
  expect([refusedBefore, refused > 0]).toEqual([0, true]);
});

test('of a wallet with more traces than can be listed the newest transactions are read', async () => {
  let pages = 0;
  const answerTo = (
    { method, params: [filter] }: ScriptedCall,
    { first, last }: { first: number; last: number },
  ) => {
    if (method === 'eth_getLogs') return { result: [] };
    const isOf = method.startsWith('eth_getTransaction') && String(filter).startsWith('0x');
    if (isOf && method in ANSWERS)
      return { result: { ...(ANSWERS[method] as object), hash: filter, transactionHash: filter } };
    if (method !== 'trace_filter') return null;
    pages += 1;
    const { after, count } = filter as { after: number; count: number };
    const length = Math.max(0, Math.min(count, last - first + 1 - after));
    const trace = (at: number) => ({
      blockNumber: first + after + at,
      transactionHash: `0x${String(first + after + at).padStart(64, '0')}`,
    });
    return { result: Array.from({ length }, (_, at) => trace(at)) };
  };
  expect(await readFrom(1_000_000, answerTo, 1)).toEqual({ transactions: 1, coverage: 'older_left_out' });
  expect(pages).toBeLessThan(100);
});

test.each([
  [
    'begins again behind the last trace',
    1_000,
    (traces: unknown[], after: number) => traces.slice(after % traces.length),
  ],
  ['knows no pages and gives all at once', 1_500, (traces: unknown[]) => traces],
])('a node that %s is not asked without end', async (_, length, pageOf) => {
  const traces = Array.from({ length }, (__, at) => ({
    ...{ blockNumber: 5, transactionHash: hash('1'), traceAddress: [at] },
  }));
  const reading = readAll(({ method, params: [filter] }) => {
    if (method === 'eth_getLogs') return { result: [] };
    return method === 'trace_filter' ? { result: pageOf(traces, (filter as { after: number }).after) } : null;
  });
  expect(await reading).toEqual({ transactions: 1, coverage: 'complete' });
});

test.each<[string, unknown]>([
  ['eth_getBlockByNumber', null],
  ['eth_getBlockByNumber', { number: '0x5', hash: hash('b') }],
  ['eth_getBlockByNumber', { number: null, hash: hash('b') }],
  ['eth_getLogs', null],
  ['eth_getLogs', [{ blockNumber: '0x5' }]],
  ['eth_getLogs', [{ ...LOG, blockNumber: null }]],
  ['eth_getTransactionByHash', null],
  ['eth_getTransactionByHash', { ...TRANSACTION, transactionIndex: null }],
  ['eth_getTransactionReceipt', { blockHash: hash('c') }],
  ['eth_getTransactionReceipt', null],
  ['eth_getTransactionReceipt', { ...RECEIPT, gasUsed: null }],
])('a node that answers %s with %j is said to have failed', async (method, result) => {
  const reading = readAll((call) => (call.method === method ? { result } : null));
  await expect(reading).rejects.toMatchObject({ name: 'SourceError' });
});

test.each([
  ['the method debug_traceTransaction does not exist/is not available', -32_601],
  ['required historical state unavailable (reexec=128)', -32_000],
  ['debug_traceTransaction is not available on the Free tier - upgrade to Pay As You Go', -32_600],
])(
  'a transaction whose calls cannot be traced (%s) leaves coin transfers out, and that is said',
  async (message, code) => {
    const reading = readAll(({ method }) =>
      method === 'debug_traceTransaction' ? { error: { code, message } } : null,
    );
    expect(await reading).toEqual({ transactions: 1, coverage: 'coin_transfers_left_out' });
  },
);

test.each<[string, ScriptedAnswer]>([
  ['is larger than is read', { result: 'x'.repeat(8 << 10) }],
  ['a node refuses as too large', { error: { code: -32_008, message: 'Response is too big' } }],
])('a transaction whose trace %s keeps none of the others from being read', async (_, large) => {
  const answerTo = ({ method }: ScriptedCall) => (method === 'debug_traceTransaction' ? large : null);
  const reading = readAll(answerTo, 'ethereum', 5, { answerBytesMax: 4 << 10 });
  expect(await reading).toEqual({ transactions: 1, coverage: 'coin_transfers_left_out' });
});

test.each([null, { type: 'CALL', from: address('c'), to: address('b'), value: '0x5', input: '0x' }])(
  'a trace that is not the transaction’s (%j) leaves coin transfers out, and that is said',
  async (result) => {
    const reading = readAll(({ method }) => (method === 'debug_traceTransaction' ? { result } : null));
    expect(await reading).toEqual({ transactions: 1, coverage: 'coin_transfers_left_out' });
  },
);

test('a trace that fails for now is asked for again, and a wallet whose traces keep failing is not said to be complete', async () => {
  let failures = 2;
  const failing = ({ method }: ScriptedCall): ScriptedAnswer | null =>
    method === 'debug_traceTransaction' && failures-- > 0
      ? { error: { code: -32_000, message: 'execution timeout' } }
      : null;
  expect(await readAll(failing)).toEqual({ transactions: 1, coverage: 'complete' });
  failures = 99;
  await expect(readAll(failing)).rejects.toMatchObject({ name: 'SourceError', transient: true });
});

test('what Polygon’s client itself runs is read without a trace, and nothing is missing of it', async () => {
  const reading = readAll(({ method }) => {
    if (method === 'eth_getTransactionByHash')
      return {
        result: { ...TRANSACTION, from: address('0'), to: address('0'), value: '0x0', gasPrice: '0x0' },
      };
    if (method === 'eth_getTransactionReceipt')
      return { result: { ...RECEIPT, gasUsed: '0x0', logs: [PAID] } };
    if (method === 'eth_getBalance') return { result: '0x0' };
    return method === 'debug_traceTransaction'
      ? { error: { code: -32_000, message: 'transaction not found' } }
      : null;
  }, 'polygon');
  expect(await reading).toEqual({ transactions: 1, coverage: 'complete' });
});
