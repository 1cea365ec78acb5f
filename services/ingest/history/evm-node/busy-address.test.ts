import { expect, test } from 'vitest';
import { startScriptedNode } from '../../../testing/nodes/scripted-node.ts';
import type { HistoryPage } from '../history-source.ts';
import { openEvmNode } from './open-evm-node.ts';

const HEAD = 1_000_000;
const WALLET = `0x${'a'.repeat(40)}`;
const PER_BLOCK = 4;
const NEVER = new AbortController().signal;
const ONCE = { attempts: 1, firstWaitMs: 0, longestWaitMs: 0 };
const hex = (number: number): string => `0x${number.toString(16)}`;
const hashOf = (block: number, at: number): string =>
  `0x${block.toString(16).padStart(62, '0')}${at.toString(16).padStart(2, '0')}`;

type Filter = { fromBlock: string; toBlock: string; after: number; count: number };
const tracesOf = ({ fromBlock, toBlock, after, count }: Filter): unknown[] => {
  const [first, last] = [Number(fromBlock), Number(toBlock)];
  const all = (last - first + 1) * PER_BLOCK;
  return Array.from({ length: Math.max(0, Math.min(count, all - after)) }, (_, i) => {
    const at = after + i;
    const block = first + Math.floor(at / PER_BLOCK);
    return { blockNumber: block, transactionHash: hashOf(block, at % PER_BLOCK) };
  });
};
const pageOf = (before: number, size: number): unknown => {
  const newest = before === 0 ? HEAD : before - 1;
  const blocks = Array.from({ length: Math.ceil(size / PER_BLOCK) }, (_, at) => newest - at);
  const txs = blocks.flatMap((block) =>
    Array.from({ length: PER_BLOCK }, (_, at) => ({ hash: hashOf(block, at), blockNumber: hex(block) })),
  );
  return { txs, receipts: [], firstPage: before === 0, lastPage: false };
};

/** A node of an address with four transactions in every block. */
const openBusy = async (lacking: string) => {
  const { url, requests } = await startScriptedNode({
    answer: ({ method, params }) => {
      if (method === lacking) return { error: { code: -32_601, message: 'Method not found' } };
      if (method === 'eth_getBlockByNumber') return { result: { number: hex(HEAD), timestamp: '0x1' } };
      if (method === 'eth_getLogs') return { result: [] };
      if (method === 'trace_filter') return { result: tracesOf(params[0] as Filter) };
      if (method === 'ots_searchTransactionsBefore')
        return { result: pageOf(params[1] as number, params[2] as number) };
      return { result: '0x0' };
    },
  });
  return { ...openEvmNode({ chain: 'ethereum', url, retry: ONCE }), requests };
};

test.each([
  ['traces', ''],
  ['pages of Otterscan', 'trace_filter'],
])('the first part of a busy address costs what it costs, by %s', async (_, lacking) => {
  const { source, requests } = await openBusy(lacking);
  await source.probe(NEVER);
  const before = requests.length;
  const question = { address: WALLET, asset: null, kinds: ['sent', 'internal'], order: 'oldest' } as const;
  let page: HistoryPage | null = null;
  for await (page of source.list({ ...question, first: 1_000, last: HEAD }, NEVER)) break;
  const { first = 0, last = 0, listed = [] } = page ?? {};
  expect([first, page?.lacks]).toEqual([1_000, {}]);
  // All that it says it holds: four million transactions come after it.
  expect(new Set(listed.map(({ id }) => id)).size).toBe((last - first + 1) * PER_BLOCK);
  expect(requests.length - before).toBeLessThan(200);
});
