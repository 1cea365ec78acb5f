import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import solc from 'solc';
import {
  bytesToHex,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from 'viem';
import { expect, test } from 'vitest';
import { NATIVE } from '../../investigate/model/movement.ts';
import { type Anvil, startAnvil } from '../../testing/evm/start-anvil.ts';
import { createEvmSource } from './fetch-evm-block.ts';

const NEVER = new AbortController().signal;
const RUNS = 40;
const MACHINE = parseAbi([
  'constructor(address[] persons)',
  'function run(bytes steps, uint256 depth) payable',
  'function everybody() view returns (address[])',
]);

const compile = (): Hex => {
  const content = readFileSync(new URL('../../testing/evm/random-calls.sol', import.meta.url), 'utf8');
  const settings = {
    ...{ evmVersion: 'shanghai', optimizer: { enabled: true } },
    outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
  };
  const input = { language: 'Solidity', sources: { calls: { content } }, settings };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as {
    contracts: { calls: { Machine: { evm: { bytecode: { object: string } } } } };
  };
  return `0x${contracts.calls.Machine.evm.bytecode.object}`;
};

const hex = (number: number): string => `0x${number.toString(16)}`;
const sendSync = (node: Anvil, transaction: Record<string, unknown>) =>
  node.ask('eth_sendTransactionSync', { gas: '0x989680', ...transaction }) as Promise<Record<string, Hex>>;

/** By address what the rows of a block say that it got of the coin. */
const sumRows = async (node: Anvil, number: number): Promise<Map<string, bigint>> => {
  const fetched = await createEvmSource({ chain: 'ethereum', url: node.url }).fetch(number, NEVER);
  if (fetched.status !== 'block') throw new Error('the block is there');
  expect(fetched.decoded.problems).toEqual([]);
  const sums = new Map<string, bigint>();
  for (const { asset, from, to, amountRaw } of fetched.decoded.movements) {
    if (asset !== NATIVE) continue;
    if (from !== null) sums.set(from, (sums.get(from) ?? 0n) - amountRaw);
    if (to !== null) sums.set(to, (sums.get(to) ?? 0n) + amountRaw);
  }
  return sums;
};

const balanceOf = async (node: Anvil, address: string, block: number): Promise<bigint> =>
  BigInt(String(await node.ask('eth_getBalance', address, hex(block))));

// The fork of which self-destruction is less, and the one before it.
test.each(['shanghai', 'cancun'])(
  'whatever contracts do with the coin on %s, its rows sum to what everybody’s balance changed by',
  async (fork) => {
    const node = await startAnvil('--hardfork', fork);
    const [from, ...others] = await node.accounts();
    const code = compile();
    const args = [others.slice(0, 2) as Hex[]] as const;
    const deploy = encodeDeployData({ abi: MACHINE, bytecode: code, args });
    const check = async (steps: Uint8Array): Promise<void> => {
      const { contractAddress: to } = await sendSync(node, { from, data: deploy, value: '0xffff' });
      // Twice: what the first one makes is older than the second.
      for (const half of [steps.subarray(0, 24), steps.subarray(24)]) {
        const data = encodeFunctionData({ abi: MACHINE, functionName: 'run', args: [bytesToHex(half), 0n] });
        const receipt = await sendSync(node, { from, to, data, value: '0x64' });
        const number = Number(receipt.blockNumber);
        const sums = await sumRows(node, number);
        const everybody = encodeFunctionData({ abi: MACHINE, functionName: 'everybody' });
        const listed = (await node.ask('eth_call', { to, data: everybody }, hex(number))) as Hex;
        const known = decodeFunctionResult({ abi: MACHINE, functionName: 'everybody', data: listed });
        for (const address of new Set([...sums.keys(), ...known.map((it) => it.toLowerCase())])) {
          const changed =
            (await balanceOf(node, address, number)) - (await balanceOf(node, address, number - 1));
          expect([address, sums.get(address) ?? 0n]).toEqual([address, changed]);
        }
      }
    };
    const steps = fc.uint8Array({ minLength: 24, maxLength: 64 });
    await fc.assert(fc.asyncProperty(steps, check), { numRuns: RUNS });
  },
);
