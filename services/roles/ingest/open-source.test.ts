import { expect, onTestFinished, test } from 'vitest';
import { createAnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import { followChain, untilHeld } from '../../testing/follow-chain.ts';
import { startBranchingNode } from '../../testing/nodes/branching-solana-node.ts';
import { type ScriptedAnswer, startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { startSlotServer } from '../../testing/nodes/slot-server.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from '../store/open-store.ts';
import { openHeadSource, openSource } from './open-source.ts';

const PATIENCE = { timeout: 20_000, interval: 10 };
const NEVER_MS = 3_600_000;

test('a block is taken as soon as its node tells of a slot, without asking for the head meanwhile', async () => {
  const node = await startBranchingNode({ seed: 5, people: 8, days: 1, blockSeconds: 1_800 });
  const slots = await startSlotServer();
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const source = openHeadSource(
    { name: 'solana', rpcUrls: [node.url], websocketUrl: slots.url, commitment: 'confirmed' },
    {
      budget: createAnswerBudget(64 << 20),
      signal: stopping.signal,
      rested: () => {},
      blocksRefused: () => {},
    },
  );
  await expect.poll(() => slots.received, PATIENCE).toHaveLength(1);
  let hash = node.follow(3);
  const following = followChain(store, source, { firstBlock: node.firstSlot, pollMs: NEVER_MS });
  onTestFinished(() => following.stop());
  await untilHeld(store, { chain: 'solana', hash, following });
  for (const place of [4, 6]) {
    hash = node.follow(place);
    slots.tell(node.firstSlot + place);
    await untilHeld(store, { chain: 'solana', hash, following });
  }
});

const NEVER = new AbortController().signal;
const MISSING: ScriptedAnswer = { error: { code: -32_601, message: 'Method not found' } };
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const OWN = 'GH7ome3EiwEr7tu9JuTh2dpYWBJK3z69Xm1ZE3MEE6JC';

/** A node that says which chain it serves; each question about the chain itself is counted. */
const startNode = async (told: ScriptedAnswer) => {
  const heads: string[] = [];
  const node = await startScriptedNode({
    answer: ({ method }) => {
      if (method === 'eth_chainId' || method === 'getGenesisHash') return told;
      heads.push(method);
      return { result: method === 'getSlot' ? 7 : '0x7' };
    },
  });
  return { ...node, heads };
};

const openOn = (name: string, ...rpcUrls: string[]) => {
  const rested: number[] = [];
  const source = openSource(
    { name, rpcUrls, commitment: name === 'solana' ? 'finalized' : 'latest' },
    { budget: createAnswerBudget(1 << 20), rested: ({ endpoint }) => rested.push(endpoint) },
  );
  return { source, rested };
};

test.each([
  ['ethereum', { result: '0x2105' }, 'the node serves base, not ethereum'],
  ['base', { result: '0x1' }, 'the node serves ethereum, not base'],
  ['solana', { result: DEVNET }, "the node serves solana's devnet, not solana"],
])('nothing is taken as %s from a node that says %j', async (name, told, message) => {
  const node = await startNode(told);
  const { source } = openOn(name, node.url);
  for (const ask of [() => source.head(NEVER), () => source.fetch(7, NEVER)])
    await expect(ask()).rejects.toMatchObject({ code: 'wrong_chain', message, transient: false });
  expect(node.heads).toEqual([]);
});

test.each([
  ['ethereum', { result: '0x1' }],
  ['ethereum', { result: '0x7a69' }],
  ['ethereum', { result: null }],
  ['ethereum', MISSING],
  ['solana', { result: MAINNET }],
  ['solana', { result: OWN }],
  ['solana', MISSING],
])('a node of %s that says %j is believed, and asked for that once', async (name, told) => {
  const node = await startNode(told);
  const { source } = openOn(name, node.url);
  expect(await source.head(NEVER)).toBe(7);
  expect(await source.head(NEVER)).toBe(7);
  expect(node.requests).toHaveLength(3);
});

test('an endpoint of another chain is left alone, and another one asked', async () => {
  const [wrong, right] = [await startNode({ result: '0x2105' }), await startNode({ result: '0x1' })];
  const { source, rested } = openOn('ethereum', wrong.url, right.url);
  expect(await source.head(NEVER)).toBe(7);
  expect(rested).toEqual([0]);
  expect(wrong.heads).toEqual([]);
});
