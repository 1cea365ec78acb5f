import type { ServerResponse } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import { TRANSFER, word } from '../../testing/evm/small-evm-block.ts';
import {
  NODE_KEY,
  type ScriptedAnswer,
  type ScriptedCall,
  startScriptedNode,
} from '../../testing/nodes/scripted-node.ts';
import type { SourceError } from '../source-error.ts';
import { createEvmSource } from './fetch-evm-block.ts';

const hash = (digit: string): string => `0x${digit.repeat(64)}`;
const address = (digit: string): string => `0x${digit.repeat(40)}`;
const NEVER = new AbortController().signal;
const retry = { attempts: 3, firstWaitMs: 1, longestWaitMs: 5 };

const BLOCK = {
  number: '0x64',
  hash: hash('b'),
  parentHash: hash('a'),
  timestamp: '0x1',
  miner: address('d'),
  difficulty: '0x0',
  uncles: [],
  transactions: [
    {
      hash: hash('1'),
      from: address('a'),
      to: address('b'),
      value: '0x5',
      gas: '0x5208',
      gasPrice: '0x1',
      input: '0x',
    },
  ],
};
const RECEIPT = {
  transactionHash: hash('1'),
  blockHash: hash('b'),
  status: '0x1',
  gasUsed: '0x5208',
  logs: [],
};
const INNER = { type: 'CALL', from: address('b'), to: address('c'), value: '0x2', input: '0x' };
const TRACE = {
  txHash: hash('1'),
  result: { type: 'CALL', from: address('a'), to: address('b'), value: '0x5', input: '0x', calls: [INNER] },
};

const MISSING = { error: { code: -32_601, message: 'the method does not exist/is not available' } };
const ANSWERS: Record<string, unknown> = {
  eth_blockNumber: '0x64',
  eth_getBlockByNumber: BLOCK,
  eth_getBlockReceipts: [RECEIPT],
  debug_traceBlockByNumber: [TRACE],
  eth_getTransactionReceipt: RECEIPT,
};
const answer = ({ method }: ScriptedCall): ScriptedAnswer =>
  method in ANSWERS ? { result: ANSWERS[method] } : MISSING;
const without =
  (missing: string, error: ScriptedAnswer = MISSING) =>
  (call: ScriptedCall): ScriptedAnswer =>
    call.method === missing ? error : answer(call);

const nativeMoves = (
  result: Awaited<ReturnType<ReturnType<typeof createEvmSource>['fetch']>>,
): number | string =>
  result.status === 'block'
    ? result.decoded.movements.filter(({ kind }) => kind === 'transfer').length
    : result.status;

test('a block comes with receipts and traces in one request, and head is the newest number', async () => {
  const node = await startScriptedNode({ answer });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(await source.head(NEVER)).toBe(100);
  expect(nativeMoves(await source.fetch(100, NEVER))).toBe(2);
  expect(node.requests).toEqual([
    ['eth_blockNumber'],
    ['eth_getBlockByNumber', 'eth_getBlockReceipts', 'debug_traceBlockByNumber'],
  ]);
});

test.each([
  [null, 'latest'],
  ['', 'latest'],
  [false, 'latest'],
  [[], 'latest'],
  ['0x', 'latest'],
  [{ number: null }, 'finalized'],
  [{}, 'finalized'],
] as const)(
  'a head of %j is no number, and never the first block of the chain',
  async (result, commitment) => {
    const node = await startScriptedNode({ answer: () => ({ result }) });
    const source = createEvmSource({ chain: 'ethereum', url: node.url, retry, commitment });
    await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'rpc_error', transient: true });
  },
);

test('a block that the node does not know is not there yet', async () => {
  const node = await startScriptedNode({ answer: () => ({ result: null }) });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(await source.fetch(100, NEVER)).toEqual({ status: 'not_yet' });
});

test('without receipts of a block they are asked for one by one, and the node is not asked for them again', async () => {
  const node = await startScriptedNode({ answer: without('eth_getBlockReceipts') });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  await source.fetch(100, NEVER);
  expect(nativeMoves(await source.fetch(100, NEVER))).toBe(2);
  expect(node.requests.slice(1)).toEqual([
    ['eth_getTransactionReceipt'],
    ['eth_getBlockByNumber', 'debug_traceBlockByNumber'],
    ['eth_getTransactionReceipt'],
  ]);
});

test('a node that never traces is not asked again, one that has pruned this block’s state is', async () => {
  for (const [message, again] of [
    ['the method debug_traceBlockByNumber does not exist/is not available', false],
    ['required historical state unavailable (reexec=128)', true],
  ] as const) {
    const error = { error: { code: -32_000, message } };
    const node = await startScriptedNode({ answer: without('debug_traceBlockByNumber', error) });
    const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
    const result = await source.fetch(100, NEVER);
    expect(result).toMatchObject({ status: 'block', untraced: 'for_good' });
    expect(nativeMoves(result)).toBe(1);
    // What a node says of every block is no problem of this one.
    const problems = result.status === 'block' ? result.decoded.problems : [];
    expect(problems.map(({ code }) => code)).toEqual(again ? ['traces_missing'] : []);
    await source.fetch(100, NEVER);
    expect(node.requests.at(-1)?.includes('debug_traceBlockByNumber')).toBe(again);
  }
});

test('a trace that failed for now is asked for again rather than left out', async () => {
  let failures = 2;
  const flaky = (call: ScriptedCall): ScriptedAnswer =>
    call.method === 'debug_traceBlockByNumber' && failures-- > 0
      ? { error: { code: -32_000, message: 'execution timeout' } }
      : answer(call);
  const node = await startScriptedNode({ answer: flaky });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(nativeMoves(await source.fetch(100, NEVER))).toBe(2);
});

const tracing =
  (trace: (time: number) => ScriptedAnswer | null) =>
  (call: ScriptedCall): ScriptedAnswer =>
    call.method === 'debug_traceBlockByNumber' ? (trace(tracings++) ?? answer(call)) : answer(call);
let tracings = 0;
beforeEach(() => {
  tracings = 0;
});

const problemsOf = (result: Awaited<ReturnType<ReturnType<typeof createEvmSource>['fetch']>>) =>
  result.status === 'block' ? result.decoded.problems.map(({ code }) => code) : result.status;

const UNTRACED: readonly [string, ScriptedAnswer][] = [
  ['nothing, as of a block that it has not run yet', { result: [] }],
  [
    'of one transaction that it took too long',
    { result: [{ txHash: hash('1'), error: 'execution timeout' }] },
  ],
  ['of one transaction no result', { result: [{ txHash: hash('1'), result: null }] }],
  ['of a transaction of another block', { result: [{ ...TRACE, txHash: hash('2') }] }],
  ['that it took too long', { error: { code: -32_000, message: 'execution timeout' } }],
  ['that it would be too large', { error: { code: -32_005, message: 'response size exceeded the limit' } }],
];

test.each(UNTRACED)('traces of which a node says %s are asked for again', async (_, said) => {
  const node = await startScriptedNode({ answer: tracing((time) => (time < 2 ? said : null)) });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  const result = await source.fetch(100, NEVER);
  expect([nativeMoves(result), problemsOf(result)]).toEqual([2, []]);
});

test.each(UNTRACED)(
  'a block of whose traces a node says %s each time is taken without them, and says so',
  async (_, said) => {
    const node = await startScriptedNode({ answer: tracing(() => said) });
    const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
    const result = await source.fetch(100, NEVER);
    expect(nativeMoves(result)).toBe(1);
    expect(problemsOf(result)).toContain('traces_missing');
    expect(node.requests).toHaveLength(retry.attempts);
    expect(source.offersTraces?.()).not.toBe(false);
  },
);

// The null address on both sides is how Polygon's nodes list it.
const SYNC = {
  ...BLOCK.transactions[0],
  hash: hash('2'),
  from: address('0'),
  to: address('0'),
  value: '0x0',
};
const PAID = {
  address: address('e'),
  topics: [TRANSFER, word(address('a')), word(address('b'))],
  data: word('0x5'),
};
const SYNCED = { ...RECEIPT, transactionHash: hash('2'), gasUsed: '0x0', logs: [PAID] };

test.each([
  ['beside others', [BLOCK.transactions[0], SYNC], [RECEIPT, SYNCED], [TRACE]],
  ['alone', [SYNC], [SYNCED], []],
])(
  'what Polygon’s client itself runs is not waited for, %s: it is never traced',
  async (_, transactions, receipts, traces) => {
    const node = await startScriptedNode({
      answer: ({ method }) => {
        const block = { ...BLOCK, transactions };
        const answers = { ...ANSWERS, eth_getBlockByNumber: block, eth_getBlockReceipts: receipts };
        return {
          result: ({ ...answers, debug_traceBlockByNumber: traces } as Record<string, unknown>)[method],
        };
      },
    });
    const source = createEvmSource({ chain: 'polygon', url: node.url, retry });
    expect(await source.fetch(100, NEVER)).toMatchObject({
      status: 'block',
      untraced: null,
      decoded: { problems: [] },
    });
    expect(node.requests).toHaveLength(1);
    const elsewhere = createEvmSource({ chain: 'ethereum', url: node.url, retry });
    expect(await elsewhere.fetch(100, NEVER)).toMatchObject({ untraced: 'for_now' });
  },
);

test('a node that traced and once does not know how is asked again, as one of several behind an address', async () => {
  const node = await startScriptedNode({ answer: tracing((time) => (time === 1 ? MISSING : null)) });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  const seen: unknown[] = [];
  for (let block = 0; block < 3; block++) seen.push(nativeMoves(await source.fetch(100, NEVER)));
  expect(seen).toEqual([2, 2, 2]);
  expect(source.offersTraces?.()).toBe(true);
});

test.each([
  ['too large', (response: ServerResponse) => response.end(`"${'x'.repeat(8 << 10)}"`)],
  ['too slow', () => {}],
  ['cut off', (response: ServerResponse) => response.destroy()],
])('a block whose answer is %s with its traces is taken without them', async (_, act) => {
  const node = await startScriptedNode({
    answer,
    intercept: (calls, response) => {
      if (!calls.some(({ method }) => method === 'debug_traceBlockByNumber')) return false;
      act(response);
      return true;
    },
  });
  const limits = { timeoutMs: 500, answerBytesMax: 4 << 10 };
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry, ...limits });
  const result = await source.fetch(100, NEVER);
  expect([nativeMoves(result), problemsOf(result)]).toEqual([1, ['traces_missing']]);
});

test('traces that fail together with their block are asked for apart, and are not left out', async () => {
  const node = await startScriptedNode({
    answer,
    intercept: (calls, response) => {
      if (calls.length < 3) return false;
      response.writeHead(503).end('one at a time');
      return true;
    },
  });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(nativeMoves(await source.fetch(100, NEVER))).toBe(2);
});

test('a limit to the rate of traces is waited for, however long it lasts', async () => {
  const error = { code: -32_005, message: 'rate limit exceeded' };
  const node = await startScriptedNode({ answer: tracing(() => ({ error })) });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  await expect(source.fetch(100, NEVER)).rejects.toMatchObject({ code: 'rate_limited', transient: true });
});

test('a node that takes one call at a time is asked one by one', async () => {
  const node = await startScriptedNode({
    answer,
    intercept: (calls, response) => {
      if (calls.length === 1) return false;
      response.writeHead(400).end('batches are not supported');
      return true;
    },
  });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(nativeMoves(await source.fetch(100, NEVER))).toBe(2);
  await source.fetch(100, NEVER);
  expect(node.requests.filter((methods) => methods.length > 1)).toHaveLength(1);
});

test('parts of different blocks are asked for again, and never put together', async () => {
  let stale = 1;
  const lagging = (call: ScriptedCall): ScriptedAnswer =>
    call.method === 'eth_getBlockReceipts' && stale-- > 0
      ? { result: [{ ...RECEIPT, blockHash: hash('c') }] }
      : answer(call);
  const node = await startScriptedNode({ answer: lagging });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(nativeMoves(await source.fetch(100, NEVER))).toBe(2);
  stale = 99;
  await expect(source.fetch(100, NEVER)).rejects.toMatchObject({ code: 'inconsistent', transient: true });
  stale = 0;
  await expect(source.fetch(101, NEVER)).rejects.toMatchObject({ code: 'inconsistent' });
});

test('uncles are fetched where the chain rewarded them', async () => {
  const block = { ...BLOCK, difficulty: '0x1', uncles: [hash('7')] };
  const uncles = (call: ScriptedCall): ScriptedAnswer => {
    if (call.method === 'eth_getBlockByNumber') return { result: block };
    if (call.method === 'eth_getUncleByBlockHashAndIndex')
      return { result: { number: '0x63', miner: address('e') } };
    return answer(call);
  };
  const node = await startScriptedNode({ answer: uncles });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  const result = await source.fetch(100, NEVER);
  const rewards =
    result.status === 'block' ? result.decoded.movements.filter(({ kind }) => kind === 'reward') : [];
  expect(rewards.map(({ to }) => to)).toEqual([address('d'), address('e')]);
});

const respond =
  (act: (response: ServerResponse) => void, times = 1) =>
  (_: unknown, response: ServerResponse): boolean => {
    if (times-- <= 0) return false;
    act(response);
    return true;
  };

test.each([
  ['status 503', (response: ServerResponse) => response.writeHead(503).end('down')],
  ['status 429', (response: ServerResponse) => response.writeHead(429, { 'retry-after': '0' }).end('slow')],
  ['half an answer', (response: ServerResponse) => response.end('{"jsonrpc":"2.0","resu')],
  ['a connection cut off', (response: ServerResponse) => response.destroy()],
])('%s is survived by asking again', async (_, act) => {
  const node = await startScriptedNode({ answer, intercept: respond(act) });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(await source.head(NEVER)).toBe(100);
  expect(node.requests).toHaveLength(2);
});

test.each([
  ['rate_limited', 429, 'slow', 3],
  ['http_status', 503, 'down', 3],
  ['http_status', 401, `no such key: ${NODE_KEY}`, 1],
  ['not_json', 200, '<html>', 3],
])(
  '%s (status %i) is thrown when it lasts, after as many attempts as it deserves',
  async (code, status, text, asked) => {
    const intercept = respond((response) => response.writeHead(status).end(text), 99);
    const node = await startScriptedNode({ answer, intercept });
    const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
    await expect(source.head(NEVER)).rejects.toMatchObject({ name: 'SourceError', code });
    expect(node.requests).toHaveLength(asked);
  },
);

test('an answer larger than allowed is given up, not read to its end', async () => {
  const flood = respond((response) => {
    const chunk = 'x'.repeat(64 << 10);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', more);
    };
    more();
  });
  const node = await startScriptedNode({ answer, intercept: flood });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry, answerBytesMax: 1 << 20 });
  await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'answer_too_large', transient: false });
});

test('a node that falls silent within its answer does not hold us', async () => {
  const silent = respond((response) => response.write('{"jsonrpc":'), 99);
  const node = await startScriptedNode({ answer, intercept: silent });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry, timeoutMs: 50 });
  await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'unreachable', transient: true });
});

test('being told to stop ends a request and the waiting between two', async () => {
  const silent = respond((response) => response.write('{'), 99);
  const node = await startScriptedNode({ answer, intercept: silent });
  const stop = new AbortController();
  const asked = createEvmSource({ chain: 'ethereum', url: node.url }).head(stop.signal);
  stop.abort(new Error('stopping'));
  await expect(asked).rejects.toThrow('stopping');

  const leaving = new AbortController();
  const leave = () => leaving.abort(new Error('leaving'));
  const busy = await startScriptedNode({
    answer,
    intercept: respond((response) => response.writeHead(503).end(() => setTimeout(leave, 50)), 99),
  });
  const patient = { attempts: 9, firstWaitMs: 60_000, longestWaitMs: 60_000 };
  const waiting = createEvmSource({ chain: 'ethereum', url: busy.url, retry: patient }).head(leaving.signal);
  await expect(waiting).rejects.toThrow('leaving');
  expect(busy.requests).toHaveLength(1);
});

test('no error holds the address or the key of the node, not even where the node quotes it', async () => {
  const message = `project ${NODE_KEY} may not call this at http://127.0.0.1/v2/${NODE_KEY}`;
  const node = await startScriptedNode({ answer: () => ({ error: { code: -32_602, message } }) });
  const broken = 'http://127.0.0.1:1/v2/secret-key-0123456789';
  for (const url of [node.url, broken]) {
    const error = (await createEvmSource({ chain: 'ethereum', url, retry })
      .head(NEVER)
      .catch((e) => e)) as SourceError;
    const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    expect(error.name).toBe('SourceError');
    expect(shown).not.toContain(NODE_KEY);
    expect(shown).not.toContain('127.0.0.1');
  }
});
