import { expect, test } from 'vitest';
import { type Anvil, startAnvil } from '../../testing/evm/start-anvil.ts';
import { type ScriptedCall, startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { createEvmSource } from './fetch-evm-block.ts';

const NEVER = new AbortController().signal;
// Passes all that it is sent on to 0x…dead: CALL(gas, 0xdead, callvalue, no data, no answer).
const PASSING_CODE = '0x600060006000600034' + '61dead' + '5af100';
const CONTRACT = '0x00000000000000000000000000000000000c0de0';
const DEAD = '0x000000000000000000000000000000000000dead';

const fetchBlock = async (source: ReturnType<typeof createEvmSource>, number: number) => {
  const fetched = await source.fetch(number, NEVER);
  if (fetched.status !== 'block') throw new Error(`block ${number} is ${fetched.status}`);
  return fetched.decoded;
};

/** A chain of three blocks: a plain payment, one that a contract passes on, and an empty one. */
const smallChain = async (): Promise<Anvil> => {
  const node = await startAnvil();
  const [payer, payee] = await node.accounts();
  await node.ask('anvil_setCode', CONTRACT, PASSING_CODE);
  await node.send({ from: payer, to: payee, value: 7n });
  await node.send({ from: payer, to: CONTRACT, value: 11n });
  await node.ask('evm_mine');
  return node;
};

test('the blocks of a real node come with fees and with what contracts passed on, and link to each other', async () => {
  const node = await smallChain();
  const source = createEvmSource({ chain: 'ethereum', url: node.url });
  expect(source.offersTraces?.()).toBeNull();
  expect(await source.head(NEVER)).toBe(3);
  const blocks = await Promise.all([1, 2, 3].map((number) => fetchBlock(source, number)));
  expect(blocks.map(({ problems }) => problems)).toEqual([[], [], []]);
  expect(blocks.slice(1).map(({ parentHash }) => parentHash)).toEqual(
    blocks.slice(0, 2).map(({ hash }) => hash),
  );
  const values = blocks.map(({ movements }) =>
    movements.filter(({ kind }) => kind === 'transfer').map(({ to, amountRaw }) => [to, amountRaw]),
  );
  expect(values).toEqual([
    [[(await node.accounts())[1]?.toLowerCase(), 7n]],
    [
      [CONTRACT, 11n],
      [DEAD, 11n],
    ],
    [],
  ]);
  expect(source.offersTraces?.()).toBe(true);
  expect(await source.fetch(4, NEVER)).toEqual({ status: 'not_yet' });
});

// Destroys itself for its own good, which is nothing since Cancun: SELFDESTRUCT(ADDRESS).
const ENDING = '0x00000000000000000000000000000000000c0de2';
const ENDING_CODE = '0x30ff';
// Passes all on to 0x…dead, and then calls the one that destroys itself.
const NO_DATA = '6000600060006000';
const CALLING_CODE = `0x${NO_DATA}3461dead5af150${NO_DATA}600073${ENDING.slice(2)}5af100`;

test.each([
  ['it was just paid', ENDING, ENDING_CODE, []],
  ['it was called beside a payment', CONTRACT, CALLING_CODE, [DEAD]],
])(
  'a contract that destroys itself for its own good, when %s, moves nothing, and hides nothing that moved',
  async (_, target, code, paidOn) => {
    const node = await startAnvil();
    const [payer] = await node.accounts();
    await node.ask('anvil_setCode', ENDING, ENDING_CODE);
    await node.ask('anvil_setCode', target, code);
    await node.send({ from: payer, to: target, value: 11n });
    const { movements, problems } = await fetchBlock(
      createEvmSource({ chain: 'ethereum', url: node.url }),
      1,
    );
    expect(problems).toEqual([]);
    const paid = movements
      .filter(({ kind }) => kind === 'transfer')
      .map(({ to, amountRaw }) => [to, amountRaw]);
    expect(paid).toEqual([target, ...paidOn].map((to) => [to, 11n]));
  },
);

test('the head is as settled as it is asked to be', async () => {
  const node = await startAnvil('--slots-in-an-epoch', '1');
  await node.ask('anvil_mine', '0x5');
  const heads = (['latest', 'safe', 'finalized'] as const).map((commitment) =>
    createEvmSource({ chain: 'ethereum', url: node.url, commitment }).head(NEVER),
  );
  expect(await Promise.all(heads)).toEqual([5, 4, 3]);
});

test('where a node has no traces and no receipts by block, receipts are asked for one by one and it is said that calls are not seen', async () => {
  const node = await smallChain();
  const poor = await startScriptedNode({
    answer: () => ({ error: { code: -32_601, message: 'Method not found' } }),
    intercept: (calls, response) => {
      void forward(node.url, calls).then((answers) => response.end(JSON.stringify(answers)));
      return true;
    },
  });
  const source = createEvmSource({ chain: 'ethereum', url: poor.url });
  const block = await fetchBlock(source, 2);
  const whole = await fetchBlock(createEvmSource({ chain: 'ethereum', url: node.url }), 2);
  expect(source.offersTraces?.()).toBe(false);
  const seen = ({ movements }: typeof block) =>
    movements.filter(({ to }) => to !== DEAD).map(({ index: _, ...movement }) => movement);
  expect(seen(block)).toEqual(seen(whole));
  expect(block.movements).toHaveLength(whole.movements.length - 1);
  expect(poor.requests.flat()).toContain('eth_getTransactionReceipt');
});

const MISSING = new Set(['eth_getBlockReceipts', 'debug_traceBlockByHash', 'debug_traceBlockByNumber']);

/** What the real node says, but for the methods that the poor one lacks. */
const forward = async (url: string, calls: readonly ScriptedCall[]): Promise<unknown> => {
  const answers = await Promise.all(
    calls.map(async (call) => {
      if (MISSING.has(call.method))
        return { jsonrpc: '2.0', id: call.id, error: { code: -32_601, message: 'Method not found' } };
      const headers = { 'content-type': 'application/json' };
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(call) })).json();
    }),
  );
  return answers.length === 1 ? answers[0] : answers;
};
