import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HistoryKind } from '../../../investigate/model/history.ts';
import { KnownWindows } from '../../../investigate/model/known-windows.ts';
import { type Anvil, startAnvil } from '../../../testing/evm/start-anvil.ts';
import { forwardingNode } from '../../../testing/nodes/forwarding-node.ts';
import { readAddress } from '../../../testing/nodes/read-address.ts';
import type { ScriptedCall } from '../../../testing/nodes/scripted-node.ts';
import type { HistorySource } from '../history-source.ts';
import type { HistoryRequest } from '../read-history.ts';
import { openEvmNode } from './open-evm-node.ts';

const PASSER = '0x00000000000000000000000000000000000c0de0';
// Passes all that it is sent on to the address in its call data: CALL(gas, data, callvalue, no data, no answer).
const PASSING_CODE = '0x6000600060006000346000355af100';
const TOKEN = '0x00000000000000000000000000000000000c0de1';
// Says that its caller sent 5 to 0x…dead.
const TOKEN_CODE =
  '0x600560005261dead337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300';
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;

let node: Anvil;
let wallet: string;
let stranger: string;
/** Blocks of what the wallet sent, of tokens that left it, and of coin that a contract paid to it. */
const at = { sent: [] as number[], tokens: [] as number[], internal: [] as number[] };

/** A wallet that is paid once, and pays now and then in hundreds of blocks. */
beforeAll(async () => {
  node = await startAnvil('--slots-in-an-epoch', '1');
  const [one = '', two = '', payee] = await node.accounts();
  [stranger, wallet] = [one.toLowerCase(), two.toLowerCase()];
  const send = async (from: string, to?: string, value?: bigint, data?: string) => {
    await node.send({ from, to, value, ...(data && { data }) });
    return Number(await node.ask('eth_blockNumber'));
  };
  await node.ask('anvil_setCode', PASSER, PASSING_CODE);
  await node.ask('anvil_setCode', TOKEN, TOKEN_CODE);
  await node.ask('anvil_setBalance', wallet, '0x0');
  await send(stranger, wallet, 10n ** 18n);
  for (const [empty, to, value] of [
    [50, payee, 7n],
    [3, payee, 8n],
    [150, TOKEN, 0n],
    [70, payee, 9n],
  ] as const) {
    await node.ask('anvil_mine', `0x${empty.toString(16)}`);
    const block = await send(wallet, to, value);
    at.sent.push(block);
    if (to === TOKEN) at.tokens.push(block);
  }
  at.internal.push(await send(stranger, PASSER, 11n, word(wallet)));
  await node.ask('anvil_mine', '0x4');
});

afterAll(() => node.stop());

type Part = Partial<HistoryRequest>;

/** Reads through a node that lacks these methods, and tells what was asked. */
const read = async (
  lacking: RegExp,
  part: Part = {},
  {
    known = new KnownWindows(),
    alter,
  }: { known?: KnownWindows; alter?: (call: ScriptedCall, result: unknown) => unknown } = {},
) => {
  const calls: ScriptedCall[] = [];
  const behind = await forwardingNode(
    node.url,
    (call) => {
      calls.push(call);
      return lacking.test(call.method) ? { code: -32_601, message: 'Method not found' } : null;
    },
    alter,
  );
  const opened = openEvmNode({ chain: 'ethereum', url: behind.url });
  await opened.source.probe(new AbortController().signal);
  const probing = calls.splice(0).length;
  const told = await readAddress({ ...opened, known }, { address: wallet, ...part });
  const proofOf = (kind: HistoryKind) =>
    told.windows.filter(({ kinds }) => kinds.includes(kind)).at(-1)?.proof ?? null;
  return {
    ...{ ...told, probing, proofOf },
    blocks: told.blocks.map(({ number }) => number),
    asked: (method: string) => calls.filter((call) => call.method === method).length,
    calls: calls.length,
  };
};

const NOTHING = /^$/;
const NO_INDEX = /^(trace|ots)_/;
const BARE = /^(trace|ots)_|SenderAndNonce/;

test.each([
  ['lists traces', NOTHING],
  ['has Otterscan’s index', /^trace_/],
])('a node that %s lists all that moved the coin, and the balance proves it', async (_, lacking) => {
  const { blocks, coverage, proofOf } = await read(lacking, { order: 'oldest' });
  expect(blocks).toEqual([1, ...at.sent, ...at.internal]);
  expect(coverage).toBe('complete');
  expect([proofOf('internal'), proofOf('tokens_out')]).toEqual(['proved', 'listed']);
});

test.each([
  ['by sender and nonce', NO_INDEX],
  ['by bisection', BARE],
])(
  'what an account sent is found %s and proved by its nonce, and nothing is said of what came unseen',
  async (_, lacking) => {
    const { blocks, coverage, proofOf } = await read(lacking, { order: 'oldest' });
    expect(blocks).toEqual(at.sent);
    expect(coverage).toBe('coin_transfers_left_out');
    expect([proofOf('sent'), proofOf('received'), proofOf('tokens_out')]).toEqual(['proved', null, 'listed']);
  },
);

test('sends are found in fewer questions than there are blocks, far fewer where the node has them by nonce', async () => {
  const window = { first: 2, side: 'out' } as const;
  const blocks = Number(await node.ask('eth_blockNumber'));
  const bisected = await read(BARE, window);
  const indexed = await read(NO_INDEX, window);
  expect(bisected.asked('eth_getTransactionCount')).toBeLessThan(blocks / 3);
  expect(indexed.asked('eth_getTransactionCount') + indexed.asked('eth_getTransactionBySenderAndNonce')).toBe(
    // Before and after the window, to list and to prove, and one for each send.
    4 + at.sent.length,
  );
});

test('coin that left a window with what was in it before is proved, too: opening and rows are the closing balance', async () => {
  const [first = 0, second = 0] = at.sent;
  const { blocks, proofOf } = await read(BARE, { first, last: second });
  expect(blocks).toEqual([second, first]);
  expect(proofOf('internal')).toBe('proved');
});

test('only gaps are asked: a window that was read costs nothing more, a wider one the difference', async () => {
  const known = new KnownWindows();
  const [, , third = 0, last = 0] = at.sent;
  const before = await read(NOTHING, { first: 2, last: third }, { known });
  expect(before.blocks).toEqual(at.sent.slice(0, 3).toReversed());
  const again = await read(NOTHING, { first: 2, last: third }, { known });
  expect([again.blocks, again.coverage, again.calls]).toEqual([[], 'complete', 1]);
  const wider = await read(NOTHING, { first: 2, last }, { known });
  expect([wider.blocks, wider.coverage]).toEqual([[last], 'complete']);
  expect(wider.windows.every(({ first }) => first === third + 1)).toBe(true);
});

test('a window without transactions is kept as one, and is not asked for again', async () => {
  const known = new KnownWindows();
  const window = { first: 10, last: 20 };
  const empty = await read(NOTHING, window, { known });
  expect([empty.blocks, empty.coverage]).toEqual([[], 'complete']);
  expect(empty.windows).toContainEqual(expect.objectContaining({ ...window, transactions: 0 }));
  expect((await read(NOTHING, window, { known })).calls).toBe(1);
});

test('from an arrival on the oldest come first, so many as were wanted, and the next question goes on from there', async () => {
  const known = new KnownWindows();
  const part = { first: 2, order: 'oldest', limit: 2 } as const;
  const first = await read(NOTHING, part, { known });
  expect([first.blocks, first.coverage]).toEqual([at.sent.slice(0, 2), 'older_left_out']);
  const next = await read(NOTHING, part, { known });
  expect(next.blocks).toEqual(at.sent.slice(2));
  expect(next.asked('debug_traceTransaction')).toBe(2);
});

test('of one token only its own logs are asked for', async () => {
  const { blocks, asked, windows } = await read(NOTHING, { asset: TOKEN, side: 'out' });
  expect(blocks).toEqual(at.tokens);
  expect([asked('eth_getLogs'), asked('trace_filter')]).toEqual([1, 0]);
  expect(windows).toMatchObject([{ kinds: ['tokens_out'], asset: TOKEN, proof: 'listed' }]);
});

test('a contract’s day is one question: what it logged', async () => {
  const { blocks, asked, windows } = await read(NOTHING, { address: TOKEN, side: 'emitted' });
  expect(blocks).toEqual(at.tokens);
  expect(asked('eth_getLogs')).toBe(1);
  expect(windows).toMatchObject([{ kinds: ['emitted'], transactions: 1 }]);
});

test('an account that lets a contract act for it is not proved by its nonce (EIP-7702)', async () => {
  const id = await node.ask('evm_snapshot');
  await node.ask('anvil_setCode', wallet, `0xef0100${PASSER.slice(2)}`);
  await node.ask('anvil_mine', '0x4');
  const { proofOf } = await read(NO_INDEX, { first: 2 });
  expect(proofOf('sent')).toBe('listed');
  await node.ask('evm_revert', id);
});

test('a node that leaves a transaction out of its list of calls does not make a window look whole', async () => {
  const hidden = `0x${(at.sent[1] ?? 0).toString(16)}`;
  const alter = ({ method }: ScriptedCall, result: unknown) =>
    method === 'trace_filter'
      ? (result as { blockNumber: number }[]).filter(({ blockNumber }) => blockNumber !== Number(hidden))
      : result;
  const { blocks, coverage, proofOf } = await read(NOTHING, { order: 'oldest' }, { alter });
  expect(blocks).not.toContain(Number(hidden));
  expect(coverage).toBe('coin_transfers_left_out');
  expect([proofOf('sent'), proofOf('internal')]).toEqual(['listed', 'listed']);
});

test('a source that lists a stranger’s transaction does not put it in, and its window is partial', async () => {
  const block = (await node.ask(
    'eth_getBlockByNumber',
    `0x${(at.internal[0] ?? 0).toString(16)}`,
    false,
  )) as {
    transactions: string[];
  };
  const lying: HistorySource = {
    name: 'lying',
    probe: async () => ({ kinds: ['tokens_in'], has: [], spanMax: null }),
    list: async function* ({ first, last, kinds }) {
      const listed = block.transactions.map((id) => ({ id, block: at.internal[0] ?? 0 }));
      yield { first, last, covers: kinds, listed };
    },
  };
  const opened = openEvmNode({ chain: 'ethereum', url: node.url });
  const told = await readAddress(
    { ...opened, source: lying },
    { address: `0x${'5'.repeat(40)}`, asset: TOKEN, side: 'in' },
  );
  expect(told.blocks).toEqual([]);
  expect(told.windows).toMatchObject([{ proof: 'partial', reason: 'listed_strangers' }]);
  expect(told.coverage).toBe('transfers_left_out');
});
