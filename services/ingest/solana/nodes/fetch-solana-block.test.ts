import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import {
  NODE_KEY,
  type ScriptedAnswer,
  type ScriptedCall,
  startScriptedNode,
} from '../../../testing/nodes/scripted-node.ts';
import { blockOfVersions } from '../../../testing/solana/block-of-versions.ts';
import type { SourceError } from '../../nodes/source-error.ts';
import type { RawBlock } from '../encoding/raw-block.ts';
import { createSolanaSource } from './fetch-solana-block.ts';

const NEVER = new AbortController().signal;
const retry = { attempts: 3, firstWaitMs: 1, longestWaitMs: 5 };
const failure = (code: number, message = 'no'): ScriptedAnswer => ({ error: { code, message } });
const SKIPPED = failure(-32_007, 'Slot was skipped, or missing due to ledger jump to recent snapshot');

const block = (parentSlot: number): ScriptedAnswer => ({
  result: {
    blockhash: 'hash',
    previousBlockhash: 'before',
    parentSlot,
    blockTime: 1,
    transactions: [],
    rewards: [],
  },
});

/** A chain by slot; what is not there is not available yet. */
const chainOf =
  (slots: Record<number, ScriptedAnswer>, lists = true) =>
  ({ method, params: [slot] }: ScriptedCall): ScriptedAnswer => {
    if (method === 'getSlot') return { result: 120 };
    if (method === 'getBlock') return slots[Number(slot)] ?? failure(-32_004);
    if (method !== 'getBlocksWithLimit' || !lists) return failure(-32_601, 'Method not found');
    const later = Object.keys(slots)
      .map(Number)
      .find((at) => at >= Number(slot) && 'result' in (slots[at] ?? SKIPPED));
    return { result: later === undefined ? [] : [later] };
  };

const open = (url: string): ReturnType<typeof createSolanaSource> =>
  createSolanaSource({ chain: 'solana', url, retry });

test('a block is asked for with what decoding needs, and head is the newest slot of the commitment', async () => {
  let asked: readonly unknown[] = [];
  const chain = chainOf({ 100: block(99) });
  const node = await startScriptedNode({
    answer: (call) => {
      asked = call.params;
      return chain(call);
    },
  });
  const source = open(node.url);
  expect(await source.head(NEVER)).toBe(120);
  expect(asked).toEqual([{ commitment: 'finalized' }]);
  expect(await source.fetch(100, NEVER)).toMatchObject({
    status: 'block',
    decoded: { chain: 'solana', number: 100, parentNumber: 99, hash: 'hash', problems: [] },
  });
  expect(asked).toEqual([
    100,
    {
      encoding: 'json',
      transactionDetails: 'full',
      rewards: true,
      maxSupportedTransactionVersion: 1,
      commitment: 'finalized',
    },
  ]);
});

test.each([
  ['{"jsonrpc":"2.0","result":', ',"id":1}'],
  ['{"id":1,"jsonrpc":"2.0","result":', '}\n'],
  ['{ "result" : ', ', "id": 1, "jsonrpc": "2.0" }'],
])('lamports above 2^53 stay exact, in whatever envelope: %s', async (before, after) => {
  const reward =
    '{"pubkey":"So11111111111111111111111111111111111111112","lamports":9007199254740993,"postBalance":9007199254740993,"rewardType":"Fee"}';
  const text = `{"blockhash":"h","previousBlockhash":"p","parentSlot":99,"blockTime":1,"transactions":[],"rewards":[${reward}]}`;
  const node = await startScriptedNode({
    answer: () => failure(0),
    intercept: (_, response) => {
      response.end(before + text + after);
      return true;
    },
  });
  const result = await open(node.url).fetch(100, NEVER);
  const rewards = result.status === 'block' ? result.decoded.movements.map(({ amountRaw }) => amountRaw) : [];
  expect(rewards).toEqual([9_007_199_254_740_993n]);
});

test.each([-32_004, -32_014, -32_016])('error %i means that the block is not there yet', async (code) => {
  const node = await startScriptedNode({ answer: () => failure(code) });
  expect(await open(node.url).fetch(100, NEVER)).toEqual({ status: 'not_yet' });
});

test('an empty answer means that the block is not there yet', async () => {
  const node = await startScriptedNode({ answer: () => ({ result: null }) });
  expect(await open(node.url).fetch(100, NEVER)).toEqual({ status: 'not_yet' });
});

test.each([
  ['-32007, with a list of blocks', SKIPPED, true],
  ['-32009, with a list of blocks', failure(-32_009), true],
  ['-32007, without one', SKIPPED, false],
])('a slot is skipped when a later block jumps over it: %s', async (_, answer, lists) => {
  const chain = { 100: answer, 101: answer, 102: answer, 103: block(99) };
  const node = await startScriptedNode({ answer: chainOf(chain, lists) });
  const source = open(node.url);
  for (const slot of [100, 101, 102]) expect(await source.fetch(slot, NEVER)).toEqual({ status: 'skipped' });
});

test('a slot that a later block builds on is not skipped but missing from the node', async () => {
  for (const lists of [true, false]) {
    const node = await startScriptedNode({ answer: chainOf({ 100: SKIPPED, 101: block(100) }, lists) });
    await expect(open(node.url).fetch(100, NEVER)).rejects.toMatchObject({
      code: 'block_unavailable',
      transient: false,
    });
  }
});

test('a slot is not called skipped before a later block says so', async () => {
  for (const lists of [true, false]) {
    const node = await startScriptedNode({
      answer: chainOf({ 99: block(98), 100: SKIPPED, 101: SKIPPED }, lists),
    });
    expect(await open(node.url).fetch(100, NEVER)).toEqual({ status: 'not_yet' });
  }
});

test('a list that leaves out a block between does not make a slot skipped', async () => {
  const chain = chainOf({ 100: SKIPPED, 101: block(100), 102: block(101) });
  const holes = (call: ScriptedCall): ScriptedAnswer =>
    call.method === 'getBlocksWithLimit' ? { result: [102] } : chain(call);
  const node = await startScriptedNode({ answer: holes });
  await expect(open(node.url).fetch(100, NEVER)).rejects.toMatchObject({ code: 'block_unavailable' });
});

test('of a node that began from a snapshot, nothing before that is called skipped, and it is not asked for ever', async () => {
  for (const lists of [true, false]) {
    const slots = { 100: SKIPPED, 101: SKIPPED, 102: SKIPPED, 103: block(102) };
    const node = await startScriptedNode({ answer: chainOf(slots, lists) });
    await expect(open(node.url).fetch(100, NEVER)).rejects.toMatchObject({
      code: 'block_unavailable',
      message: 'the node lacks slot 102, on which slot 103 builds',
      transient: false,
    });
  }
});

test.each([
  ['a slot below the node’s ledger', -32_001, 'block_unavailable', 1],
  ['no history at all', -32_011, 'block_unavailable', 1],
  ['a block that is refused for its version even without its transactions', -32_015, 'rpc_error', 3],
  ['wrong parameters', -32_602, 'rpc_error', 1],
  ['a node that is behind', -32_005, 'rpc_error', 3],
])('%s is a typed error, asked again only where that can help', async (_, code, expected, asked) => {
  const node = await startScriptedNode({ answer: () => failure(code) });
  await expect(open(node.url).fetch(100, NEVER)).rejects.toMatchObject({
    name: 'SourceError',
    code: expected,
  });
  expect(node.requests).toHaveLength(asked);
});

test('failures of the way there are survived by asking again', async () => {
  const faults = [
    (response: { writeHead(status: number, headers?: object): { end(text: string): void } }) =>
      response.writeHead(429, { 'retry-after': '0' }).end('slow'),
    (response: { end(text: string): void }) => response.end('{"jsonrpc":"2.0","result":{"blockhash":"h",'),
  ];
  const node = await startScriptedNode({
    answer: chainOf({ 100: block(99) }),
    intercept: (_, response) => {
      const fault = faults.shift();
      fault?.(response);
      return fault !== undefined;
    },
  });
  expect((await open(node.url).fetch(100, NEVER)).status).toBe('block');
  expect(node.requests).toHaveLength(3);
});

test('an answer of more values than memory should hold is given up before they are made', async () => {
  const many = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":[[]${',[]'.repeat(10_000_000)}]}`);
  const intercept = (_: unknown, response: ServerResponse) => Boolean(response.end(many));
  const node = await startScriptedNode({ answer: () => failure(0), intercept });
  await expect(open(node.url).fetch(100, NEVER)).rejects.toMatchObject({ code: 'answer_too_large' });
});

test('an answer too large or too slow is given up', async () => {
  const node = await startScriptedNode({
    answer: () => failure(0),
    intercept: (_, response) => {
      response.write('x'.repeat(100_000));
      return true;
    },
  });
  const small = createSolanaSource({ chain: 'solana', url: node.url, retry, answerBytesMax: 1_000 });
  await expect(small.head(NEVER)).rejects.toMatchObject({ code: 'answer_too_large' });
  const hasty = createSolanaSource({ chain: 'solana', url: node.url, retry, timeoutMs: 50 });
  await expect(hasty.head(NEVER)).rejects.toMatchObject({ code: 'unreachable' });
  const stop = new AbortController();
  const asked = open(node.url).head(stop.signal);
  stop.abort(new Error('stopping'));
  await expect(asked).rejects.toThrow('stopping');
});

test('no error holds the address or the key of the node', async () => {
  const message = `key ${NODE_KEY} is over its limit at http://127.0.0.1/v2/${NODE_KEY}`;
  const node = await startScriptedNode({ answer: () => failure(-32_602, message) });
  for (const url of [node.url, `http://user:${NODE_KEY}@127.0.0.1:1/`]) {
    const error = (await open(url)
      .head(NEVER)
      .catch((thrown) => thrown)) as SourceError;
    const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    expect(error.name).toBe('SourceError');
    expect(shown).not.toContain(NODE_KEY);
    expect(shown).not.toContain('127.0.0.1');
  }
});

test.each(['user:50%25', 'user:', ':50%25'])(
  'a node is asked as who its address names: %s',
  async (login) => {
    const asked: (string | undefined)[] = [];
    const node = await startScriptedNode({
      answer: () => ({ result: 7 }),
      intercept: (_, response) => {
        asked.push(response.req.headers.authorization);
        return false;
      },
    });
    expect(await open(node.url.replace('//', `//${login}@`)).head(NEVER)).toBe(7);
    const pair = Buffer.from(decodeURIComponent(login)).toString('base64');
    expect(asked).toEqual([`Basic ${pair}`]);
  },
);

test('a block whose rewards are not written yet is asked for once more, and of a node that keeps none only once', async () => {
  const blocks = [100, 101, 102, 103].map((slot) => blockOfVersions(slot, 0));
  const without = (block: RawBlock | undefined): ScriptedAnswer => ({ result: { ...block, rewards: [] } });
  let isWritten = false;
  const node = await startScriptedNode({
    answer: ({ params: [slot] }) => {
      const told = blocks[Number(slot) - 100];
      return slot === 100 && isWritten ? { result: told } : without(told);
    },
    intercept: () => {
      setTimeout(() => {
        isWritten = true;
      }, 100);
      return false;
    },
  });
  const source = open(node.url);
  const problemsOf = async (slot: number) => {
    const result = await source.fetch(slot, NEVER);
    return result.status === 'block' && result.decoded.problems.map(({ code }) => code);
  };
  expect(await problemsOf(100)).toEqual([]);
  expect(node.requests).toHaveLength(2);
  expect(await problemsOf(101)).toEqual(['rewards_absent']);
  expect(node.requests).toHaveLength(4);
  expect(await problemsOf(102)).toEqual(['rewards_absent']);
  expect(node.requests).toHaveLength(5);
});
