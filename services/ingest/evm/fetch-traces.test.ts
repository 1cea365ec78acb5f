import type { ServerResponse } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import {
  ANSWERS,
  address,
  answer,
  BLOCK,
  hash,
  MISSING,
  NEVER,
  nativeMoves,
  RECEIPT,
  retry,
  TRACE,
  without,
} from '../../testing/evm/scripted-block.ts';
import { TRANSFER, word } from '../../testing/evm/small-evm-block.ts';
import {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedNode,
  startScriptedNode,
} from '../../testing/nodes/scripted-node.ts';
import { createEvmSource } from './fetch-evm-block.ts';

test('a node that never traces is not asked again, one that has pruned this block’s state is', async () => {
  for (const [message, again] of [
    ['the method debug_traceBlockByHash does not exist/is not available', false],
    ['debug_traceBlockByHash is not available on the Free tier - upgrade to Pay As You Go', false],
    ['required historical state unavailable (reexec=128)', true],
  ] as const) {
    const error = { error: { code: -32_000, message } };
    const node = await startScriptedNode({ answer: without('debug_traceBlockByHash', error) });
    const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
    const result = await source.fetch(100, NEVER);
    expect(result).toMatchObject({ status: 'block', untraced: 'for_good' });
    expect(nativeMoves(result)).toBe(1);
    // What a node says of every block is no problem of this one.
    const problems = result.status === 'block' ? result.decoded.problems : [];
    expect(problems.map(({ code }) => code)).toEqual(again ? ['traces_missing'] : []);
    await source.fetch(100, NEVER);
    expect(node.requests.at(-1)?.includes('debug_traceBlockByHash')).toBe(again);
  }
});

test('a trace that failed for now is asked for again rather than left out', async () => {
  let failures = 2;
  const flaky = (call: ScriptedCall): ScriptedAnswer =>
    call.method === 'debug_traceBlockByHash' && failures-- > 0
      ? { error: { code: -32_000, message: 'execution timeout' } }
      : answer(call);
  const node = await startScriptedNode({ answer: flaky });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(nativeMoves(await source.fetch(100, NEVER))).toBe(2);
});

const tracing =
  (trace: (time: number) => ScriptedAnswer | null) =>
  (call: ScriptedCall): ScriptedAnswer =>
    call.method === 'debug_traceBlockByHash' ? (trace(tracings++) ?? answer(call)) : answer(call);
let tracings = 0;
beforeEach(() => {
  tracings = 0;
});

const traceRequests = ({ requests }: ScriptedNode) =>
  requests.filter((methods) => methods.some((method) => method.startsWith('debug_')));

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
    expect(traceRequests(node)).toHaveLength(retry.attempts);
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
test('of two blocks with the same transactions each is told with its own calls, though the chain changed its mind in between', async () => {
  const elsewhere = { ...TRACE.result, calls: [{ ...TRACE.result.calls[0], to: address('f') }] };
  const node = await startScriptedNode({
    answer: (call) => {
      if (!call.method.startsWith('debug_')) return answer(call);
      const isAsked = call.params[0] === BLOCK.hash;
      return { result: [isAsked ? TRACE : { ...TRACE, result: elsewhere }] };
    },
  });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  const result = await source.fetch(100, NEVER);
  const paid = result.status === 'block' ? result.decoded.movements.map(({ to }) => to) : [];
  expect(paid).toContain(address('c'));
  expect(paid).not.toContain(address('f'));
});

const TWO = {
  eth_getBlockByNumber: {
    ...BLOCK,
    transactions: [BLOCK.transactions[0], { ...BLOCK.transactions[0], hash: hash('2') }],
  },
  eth_getBlockReceipts: [RECEIPT, { ...RECEIPT, transactionHash: hash('2') }],
} as Record<string, unknown>;
const refusal = { error: { code: -32_008, message: 'Response is too big' } };

const byNumber = (call: ScriptedCall): ScriptedAnswer =>
  call.method === 'debug_traceBlockByNumber' ? { result: [TRACE] } : without('debug_traceBlockByHash')(call);

test('a node that traces by number only is asked so from then on', async () => {
  const node = await startScriptedNode({ answer: byNumber });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  for (let block = 0; block < 2; block++) expect(nativeMoves(await source.fetch(100, NEVER))).toBe(2);
  expect(traceRequests(node).map(([method]) => method)).toEqual([
    'debug_traceBlockByHash',
    'debug_traceBlockByNumber',
    'debug_traceBlockByNumber',
  ]);
});

test.each<[string, string, (call: ScriptedCall) => ScriptedAnswer]>([
  ['by number', 'debug_traceBlockByNumber', byNumber],
  [
    'one by one',
    'debug_traceTransaction',
    (call) => {
      if (call.method === 'debug_traceTransaction') return { result: TRACE.result };
      if (call.method.startsWith('debug_')) return refusal;
      return call.method in TWO ? { result: TWO[call.method] } : answer(call);
    },
  ],
])(
  'traces asked for %s are not taken where another block has the number by then',
  async (_, method, honest) => {
    let isTraced = false;
    const node = await startScriptedNode({
      answer: (call) => {
        isTraced ||= call.method === method;
        if (call.method !== 'eth_getBlockByNumber' || !isTraced) return honest(call);
        isTraced = false;
        return { result: { ...BLOCK, hash: hash('c') } };
      },
    });
    const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
    const result = await source.fetch(100, NEVER);
    expect(result).toMatchObject({ untraced: 'for_now' });
    expect(problemsOf(result)).toContain('traces_missing');
  },
);

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
          result: ({ ...answers, debug_traceBlockByHash: traces } as Record<string, unknown>)[method],
        };
      },
    });
    const source = createEvmSource({ chain: 'polygon', url: node.url, retry });
    expect(await source.fetch(100, NEVER)).toMatchObject({
      status: 'block',
      untraced: null,
      decoded: { problems: [] },
    });
    expect(traceRequests(node)).toHaveLength(traces.length);
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
])('a block whose traces are %s is taken without them', async (_, act) => {
  const node = await startScriptedNode({
    answer,
    intercept: (calls, response) => {
      if (!calls.some(({ method }) => method === 'debug_traceBlockByHash')) return false;
      act(response);
      return true;
    },
  });
  const limits = { timeoutMs: 500, answerBytesMax: 4 << 10 };
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry, ...limits });
  const result = await source.fetch(100, NEVER);
  expect([nativeMoves(result), problemsOf(result)]).toEqual([1, ['traces_missing']]);
});

test.each<[string, ScriptedAnswer]>([
  ['is larger than is read', { result: 'x'.repeat(8 << 10) }],
  ['a node refuses as too large', refusal],
])(
  'one transaction whose trace %s hides its own calls, and not those of the others of its block',
  async (_, large) => {
    const node = await startScriptedNode({
      answer: (call) => {
        if (call.method === 'debug_traceTransaction')
          return call.params[0] === hash('1') ? { result: TRACE.result } : large;
        if (call.method.startsWith('debug_')) return large;
        return call.method in TWO ? { result: TWO[call.method] } : answer(call);
      },
    });
    const limits = { answerBytesMax: 4 << 10 };
    const source = createEvmSource({ chain: 'ethereum', url: node.url, retry, ...limits });
    const result = await source.fetch(100, NEVER);
    // Each paid on the outside, and the first one's recipient paid on.
    expect(nativeMoves(result)).toBe(3);
    expect(result).toMatchObject({ untraced: 'for_good' });
    const problems = result.status === 'block' ? result.decoded.problems : [];
    expect(problems.map(({ code, txIndex }) => [code, txIndex])).toEqual([
      ['trace_missing', 1],
      ['traces_missing', null],
    ]);
    // No waiting makes it smaller.
    expect(traceRequests(node)).toHaveLength(3);
  },
);

test.each<[string, (times: number) => ScriptedAnswer | null]>([
  [
    'takes too long',
    (times) => (times < 2 ? { error: { code: -32_000, message: 'execution timeout' } } : null),
  ],
  [
    'is behind the limit of the rate',
    (times) => (times < 2 ? { error: { code: -32_005, message: 'rate limit exceeded' } } : null),
  ],
])(
  'where one transaction of a block that is traced one by one %s, it is asked for again',
  async (_, trouble) => {
    let times = 0;
    const node = await startScriptedNode({
      answer: (call) => {
        if (call.method === 'debug_traceTransaction') {
          const said = call.params[0] === hash('1') ? null : trouble(times++);
          return said ?? { result: TRACE.result };
        }
        if (call.method.startsWith('debug_')) return refusal;
        return call.method in TWO ? { result: TWO[call.method] } : answer(call);
      },
    });
    const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
    const result = await source.fetch(100, NEVER);
    expect([result.status === 'block' && result.untraced, nativeMoves(result)]).toEqual([null, 4]);
  },
);

test('traces that a gateway forbids are asked for once a block, and its other nodes next', async () => {
  const node = await startScriptedNode({
    answer,
    intercept: (calls, response) => {
      if (!calls.some(({ method }) => method === 'debug_traceBlockByHash')) return false;
      response.writeHead(403).end('{"error":"debug methods not permitted"}');
      return true;
    },
  });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  expect(await source.fetch(100, NEVER)).toMatchObject({ status: 'block', untraced: 'for_good' });
  expect(traceRequests(node)).toHaveLength(1);
});

test('a limit to the rate of traces is waited for, however long it lasts', async () => {
  const error = { code: -32_005, message: 'rate limit exceeded' };
  const node = await startScriptedNode({ answer: tracing(() => ({ error })) });
  const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
  await expect(source.fetch(100, NEVER)).rejects.toMatchObject({ code: 'rate_limited', transient: true });
});

/** A gateway that refuses a request with a call that it does not have by status, and says which one that is in its body. */
const refusing =
  (missing: string, status: number, isOneForAll: boolean) =>
  (calls: readonly ScriptedCall[], response: ServerResponse, body: unknown): boolean => {
    if (!calls.some(({ method }) => method === missing)) return false;
    const answers = calls.map((call) => ({ jsonrpc: '2.0', ...without(missing)(call), id: call.id }));
    const refusal = { jsonrpc: '2.0', ...MISSING, id: null };
    const said = Array.isArray(body) && !isOneForAll ? answers : refusal;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    return true;
  };

test.each([
  [500, false],
  [500, true],
  [501, true],
  [404, false],
])(
  'a method that a gateway says it lacks, by status %i (once for all calls: %s), is not asked for again',
  async (status, isOneForAll) => {
    for (const [missing, moves] of [
      ['eth_getBlockReceipts', 2],
      ['debug_traceBlockByHash', 1],
    ] as const) {
      const node = await startScriptedNode({ answer, intercept: refusing(missing, status, isOneForAll) });
      const source = createEvmSource({ chain: 'ethereum', url: node.url, retry });
      expect(nativeMoves(await source.fetch(100, NEVER))).toBe(moves);
      const asked = node.requests.length;
      expect(nativeMoves(await source.fetch(100, NEVER))).toBe(moves);
      expect(node.requests.slice(asked).flat()).not.toContain(missing);
    }
  },
);
