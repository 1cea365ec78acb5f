import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import { type ServedWorld, serveWorld } from '../../demo-world/rpc/serve-world.ts';
import { startExplorer } from '../../testing/nodes/explorer-over-node.ts';
import { NODE_KEY, startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { runCommand } from '../../testing/run-command.ts';

const KEY = 'explorer-key-987654321';
let served: ServedWorld;
beforeAll(async () => {
  served = await serveWorld(createWorld({ seed: 5, people: 8, days: 1, blockSeconds: 600 }));
});
afterAll(() => served.close());

/** Two nodes, of which one serves another chain, and an explorer that refuses calls of contracts. */
const configured = async () => {
  const explorer = await startExplorer(
    {},
    {
      fault: (action) =>
        action === 'txlistinternal' ? { status: '0', message: 'NOTOK', result: 'not in this plan' } : null,
    },
  );
  const stranger = await startScriptedNode({ answer: () => ({ result: '0x2105' }) });
  const history = [{ type: 'etherscan', url: explorer.url, key: KEY, per_second: 3, per_day: 5_000 }];
  return JSON.stringify({
    solana: { urls: [`${served.url}/solana`] },
    ethereum: { urls: [`${served.url}/ethereum?key=${NODE_KEY}`, stranger.url], history },
  });
};

const ask = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCommand(['doctor', '--history', ...args], {
    SPOOR_CHAINS: await configured(),
  });
  expect(code, stderr).toBe(0);
  for (const secret of [KEY, NODE_KEY, 'http', '127.0.0.1']) expect(stdout + stderr).not.toContain(secret);
  return stdout.trim().split('\n');
};

test('each source tells what it offers, its limits or its trouble, and what nobody lists; no address is shown', async () => {
  const lines = (await ask('--json')).map((line) => JSON.parse(line) as unknown);
  const free = { trouble: null, blocks_max: null, per_second: null, per_day: null };
  expect(lines).toEqual([
    {
      ...{ name: 'history', chain: 'solana' },
      sources: [
        {
          ...{ ...free, source: 'solana-node', place: 1 },
          kinds: ['sent', 'received', 'internal', 'tokens_out', 'tokens_in', 'emitted'],
          has: ['getSignaturesForAddress'],
        },
      ],
      unlisted: ['withdrawals', 'rewards'],
    },
    {
      ...{ name: 'history', chain: 'ethereum' },
      sources: [
        {
          ...{ ...free, source: 'evm-node', place: 1 },
          kinds: ['tokens_out', 'tokens_in', 'emitted', 'sent', 'received', 'internal'],
          has: ['eth_getLogs', 'trace_filter', 'eth_getTransactionBySenderAndNonce', 'archive'],
        },
        { ...free, source: 'evm-node', place: 2, trouble: 'wrong_chain', kinds: [], has: [] },
        {
          ...{ ...free, source: 'etherscan-like', place: 3, per_second: 3, per_day: 5_000 },
          kinds: ['sent', 'received', 'tokens_out', 'tokens_in'],
          has: ['txlist', 'tokentx', 'tokennfttx', 'token1155tx'],
        },
      ],
      unlisted: ['withdrawals', 'rewards'],
    },
  ]);
});

test('a person reads the same in words', async () => {
  const lines = await ask();
  expect(lines.slice(-5)).toEqual([
    'histories of ethereum:',
    '  1. evm-node lists tokens_out, tokens_in, emitted, sent, received, internal; has eth_getLogs, trace_filter, eth_getTransactionBySenderAndNonce, archive; no limit is known',
    '  2. evm-node: FAILED (wrong_chain)',
    '  3. etherscan-like lists sent, received, tokens_out, tokens_in; has txlist, tokentx, tokennfttx, token1155tx; at most 3 requests a second, at most 5000 requests a day',
    '  nobody lists: withdrawals, rewards',
  ]);
});

test('without chains nobody is asked, and that is said', async () => {
  const { stdout, stderr } = await runCommand(['doctor', '--history'], { SPOOR_CHAINS: '' });
  expect([stdout, stderr]).toEqual(['', 'SPOOR_CHAINS names no chain\n']);
});
