import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import {
  address,
  answer,
  BLOCK,
  hash,
  NEVER,
  nativeMoves,
  RECEIPT,
  retry,
  without,
} from '../../testing/evm/scripted-block.ts';
import {
  NODE_KEY,
  type ScriptedAnswer,
  type ScriptedCall,
  startScriptedNode,
} from '../../testing/nodes/scripted-node.ts';
import type { BlockSource } from '../nodes/block-source.ts';
import { createFailOver } from '../nodes/fail-over.ts';
import type { SourceError } from '../nodes/source-error.ts';
import { createEvmSource } from './fetch-evm-block.ts';

test('a block comes with its receipts in one request and its traces in another, and head is the newest number', async () => {
  const node = await startScriptedNode({ answer });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(await source.head(NEVER)).toBe(100);
  expect(nativeMoves(await source.fetch(100, NEVER))).toBe(2);
  expect(node.requests).toEqual([
    ['eth_blockNumber'],
    ['eth_getBlockByNumber', 'eth_getBlockReceipts'],
    ['debug_traceBlockByHash'],
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
    ['debug_traceBlockByHash'],
    ['eth_getBlockByNumber'],
    ['eth_getTransactionReceipt'],
    ['debug_traceBlockByHash'],
  ]);
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

test.each([
  [503, 503],
  [500, -32_603],
  [200, -32_603],
])(
  'trouble told by status %i as an error of code %i passes, and nothing is concluded from it',
  async (status, code) => {
    const inTrouble = () =>
      respond((response) => {
        const body = { jsonrpc: '2.0', id: null, error: { code, message: 'Service unavailable' } };
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    type Ask = (source: BlockSource) => Promise<unknown>;
    const heads: Ask = (source) => source.head(NEVER);
    const blocks: Ask = (source) => source.fetch(100, NEVER);
    for (const ask of [heads, blocks]) {
      const told = async (intercept: ReturnType<typeof inTrouble>) => {
        const node = await startScriptedNode({ answer, intercept });
        const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
        const answers = [await ask(source)];
        const before = node.requests.length;
        answers.push(await heads(source), await blocks(source));
        return { answers, requestsThen: node.requests.slice(before) };
      };
      expect(await told(inTrouble())).toEqual(await told(() => false));
    }
  },
);

test('a block that its node gives in part only, lists emptied, is never taken for what it is not', async () => {
  const emptied = (call: ScriptedCall): ScriptedAnswer => {
    if (call.method === 'eth_getBlockByNumber')
      return { result: { ...BLOCK, gasUsed: '0x5208', transactions: [] } };
    return call.method === 'eth_blockNumber' ? answer(call) : { result: [] };
  };
  const node = await startScriptedNode({ answer: emptied });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  await expect(source.fetch(100, NEVER)).rejects.toMatchObject({ code: 'malformed', transient: true });
});

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

test('an answer of more values than memory should hold is given up before they are made', async () => {
  const many = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":[[]${',[]'.repeat(10_000_000)}]}`);
  const flood = respond((response) => response.setHeader('content-type', 'application/json').end(many), 99);
  const node = await startScriptedNode({ answer, intercept: flood });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'answer_too_large', transient: false });
});

test('a node that falls silent within its answer does not hold us', async () => {
  const silent = respond((response) => response.write('{"jsonrpc":'), 99);
  const node = await startScriptedNode({ answer, intercept: silent });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry, timeoutMs: 50 });
  await expect(source.head(NEVER)).rejects.toMatchObject({ code: 'unreachable', transient: true });
});

test.each(['user:50%25', ':only-a-key', 'user:%D0%BA%D0%BB%D1%8E%D1%87'])(
  'a node is asked as who its address names: %s',
  async (login) => {
    const asked: (string | undefined)[] = [];
    const node = await startScriptedNode({
      answer: () => ({ result: '0x7' }),
      intercept: (_, response) => {
        asked.push(response.req.headers.authorization);
        return false;
      },
    });
    const url = node.url.replace('//', `//${login}@`);
    expect(await createEvmSource({ chain: 'ethereum', url, retry }).head(NEVER)).toBe(7);
    const pair = Buffer.from(decodeURIComponent(login)).toString('base64');
    expect(new Set(asked)).toEqual(new Set([`Basic ${pair}`]));
  },
);

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

const WRONG = { ...RECEIPT, cumulativeGasUsed: '0x5208', gasUsed: '0x5207' };

test('a block whose parts contradict each other is asked for again, and taken as it is where that lasts', async () => {
  let wrong = 1;
  const node = await startScriptedNode({
    answer: (call) =>
      call.method === 'eth_getBlockReceipts' && wrong-- > 0 ? { result: [WRONG] } : answer(call),
  });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  const asked = () => node.requests.filter((methods) => methods.includes('eth_getBlockReceipts')).length;
  expect(await source.fetch(100, NEVER)).toMatchObject({ contradicts: null, decoded: { problems: [] } });
  expect(asked()).toBe(2);
  wrong = Number.POSITIVE_INFINITY;
  const told = { status: 'block', decoded: { problems: [{ code: 'gas_contradicts' }] } };
  expect(await source.fetch(100, NEVER)).toMatchObject({ ...told, contradicts: 'for_now' });
  expect(asked()).toBe(2 + retry.attempts);
  // Where that helped nothing it is not tried for every block.
  expect(await source.fetch(100, NEVER)).toMatchObject({ ...told, contradicts: 'for_good' });
  expect(asked()).toBe(2 + retry.attempts + 1);
});

test('a block whose receipts contradict it comes from the next node that is configured', async () => {
  const lies = await startScriptedNode({
    answer: (call) => (call.method === 'eth_getBlockReceipts' ? { result: [WRONG] } : answer(call)),
  });
  const honest = await startScriptedNode({ answer });
  const sources = [lies, honest].map(({ url }) => createEvmSource({ chain: 'ethereum', url, retry }));
  const result = await createFailOver(sources, { rested: () => {} }, retry).fetch(100, NEVER);
  expect(result).toMatchObject({ contradicts: null, decoded: { problems: [] } });
  expect(honest.requests.length).toBeGreaterThan(0);
});
