import { expect, test } from 'vitest';
import type { DecodedBlock } from '../../../investigate/model/block.ts';
import { type Anvil, startAnvil } from '../../../testing/evm/start-anvil.ts';
import { forwardingNode } from '../../../testing/nodes/forwarding-node.ts';
import { readAddress } from '../../../testing/nodes/read-address.ts';
import { createEvmSource } from '../../evm/fetch-evm-block.ts';
import type { HistoryRequest } from '../read-history.ts';
import { openEvmNode } from './open-evm-node.ts';

const NEVER = new AbortController().signal;
const DEAD = '0x000000000000000000000000000000000000dead';
const TOKEN = '0x00000000000000000000000000000000000c0de1';
const PASSER = '0x00000000000000000000000000000000000c0de0';
// Passes all that it is sent on to 0x…dead: CALL(gas, 0xdead, callvalue, no data, no answer).
const PASSING_CODE = '0x60006000600060003461dead5af100';
// Says that its caller sent 5 to 0x…dead: LOG3(Transfer, caller, 0xdead) over 32 bytes of memory.
const TOKEN_CODE =
  '0x600560005261dead337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300';

/** Two strangers, and a wallet that pays, pays through a contract and moves a token, in six blocks. */
const startChain = async (): Promise<{ node: Anvil; wallet: string }> => {
  const node = await startAnvil('--slots-in-an-epoch', '1');
  const [stranger, wallet, payee] = await node.accounts();
  await node.ask('anvil_setCode', PASSER, PASSING_CODE);
  await node.ask('anvil_setCode', TOKEN, TOKEN_CODE);
  const send = (from?: string, to?: string, value?: bigint) => node.send({ from, to, value });
  // What it has from the chain's beginning no transaction tells.
  await node.ask('anvil_setBalance', wallet, '0x0');
  await send(stranger, payee, 3n);
  await send(stranger, wallet, 10n ** 18n);
  await send(wallet, payee, 7n);
  await send(wallet, PASSER, 11n);
  await send(wallet, TOKEN);
  await send(stranger, TOKEN);
  // Only what is final is read.
  await node.ask('anvil_mine', '0x4');
  await send(wallet, payee, 17n);
  return { node, wallet: (wallet ?? '').toLowerCase() };
};

const readAll = (url: string, wallet: string, limit = 100, part: Partial<HistoryRequest> = {}) =>
  readAddress(openEvmNode({ chain: 'ethereum', url }), { address: wallet, limit, ...part });

/** The rows of a block's transactions, without those of the block itself. */
const ofTransactions = ({ number, hash, transactions, movements }: DecodedBlock) => ({
  number,
  hash,
  transactions,
  movements: movements.filter(({ txIndex }) => txIndex !== null),
});

test('a wallet’s final transactions come newest first, each as its block tells it, and no stranger’s', async () => {
  const { node, wallet } = await startChain();
  const { blocks, coverage } = await readAll(node.url, wallet);
  expect(coverage).toBe('complete');
  expect(blocks.map(({ number }) => number)).toEqual([5, 4, 3, 2]);
  const whole = createEvmSource({ chain: 'ethereum', url: node.url });
  for (const block of blocks) {
    const fetched = await whole.fetch(block.number, NEVER);
    if (fetched.status !== 'block') throw new Error('the block is there');
    expect(ofTransactions(block)).toEqual(ofTransactions(fetched.decoded));
  }
  // What a contract passed on is in it.
  expect(blocks[1]?.movements.some(({ to, amountRaw }) => to === DEAD && amountRaw === 11n)).toBe(true);
});

test('a wallet that the chain itself paid is not said to be complete', async () => {
  const { node, wallet } = await startChain();
  await node.ask('anvil_setBalance', wallet, '0xde0b6b3a7640000');
  await node.ask('anvil_mine', '0x4');
  const { blocks, coverage } = await readAll(node.url, wallet);
  expect(blocks.map(({ number }) => number)).toContain(2);
  expect(coverage).toBe('coin_transfers_left_out');
});

test('the newest so many are read, and that there are more is said', async () => {
  const { node, wallet } = await startChain();
  const { blocks, coverage } = await readAll(node.url, wallet, 2);
  expect(blocks.map(({ number }) => number)).toEqual([5, 4]);
  expect(coverage).toBe('older_left_out');
});

test('a node without traces, and with a limit to what one question spans, gives what it lists by other ways and says what is missing', async () => {
  const { node, wallet } = await startChain();
  await node.ask('anvil_mine', '0x400');
  const poor = await forwardingNode(node.url, ({ method, params }) => {
    if (/^(trace|debug|ots)_/.test(method)) return { code: -32_601, message: 'Method not found' };
    const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string };
    if (method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 600)
      return { code: -32_602, message: 'query exceeds max block range 600' };
    return null;
  });
  const { blocks, coverage } = await readAll(poor.url, wallet);
  expect(coverage).toBe('coin_transfers_left_out');
  expect(blocks.map(({ number }) => number)).toEqual([11, 5, 4, 3]);
});
