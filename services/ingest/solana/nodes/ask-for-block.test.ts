import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../roles/store/open-store.ts';
import { followChain, readStanding, untilHeld } from '../../../testing/follow-chain.ts';
import { startAgaveNode } from '../../../testing/nodes/agave-node.ts';
import { startSlotServer } from '../../../testing/nodes/slot-server.ts';
import { blockOfVersions } from '../../../testing/solana/block-of-versions.ts';
import { keyOf } from '../../../testing/solana/build-transaction.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import type { FetchResult } from '../../nodes/block-source.ts';
import { createFailOver } from '../../nodes/fail-over.ts';
import { createSolanaSource } from './fetch-solana-block.ts';
import { subscribeToBlocks } from './subscribe-to-blocks.ts';

const NEVER = new AbortController().signal;
const retry = { attempts: 2, firstWaitMs: 1, longestWaitMs: 5 };
const open = (url: string) => createSolanaSource({ chain: 'solana', url, retry });
/** What was taken of a block, and what is said to be missing. */
const tell = (result: FetchResult) => {
  if (result.status !== 'block') return result.status;
  const { movements, problems } = result.decoded;
  return {
    rows: movements.map(({ kind, txIndex }) => `${txIndex} ${kind}`),
    problems: problems.map(({ code, txIndex }) => `${txIndex} ${code}`),
  };
};

test('a block with transactions of version 1 is asked for once and read whole', async () => {
  const node = await startAgaveNode({ blocks: { 100: blockOfVersions(100, 'legacy', 0, 1) } });
  expect(tell(await open(node.url).fetch(100, NEVER))).toEqual({
    rows: ['0 fee', '0 transfer', '1 fee', '1 transfer', '2 fee', '2 transfer', 'null reward'],
    problems: [],
  });
  expect(node.requests).toHaveLength(1);
});

test('a transaction that is newer costs itself, and later blocks with such ones are asked for once', async () => {
  const blocks = { 100: blockOfVersions(100, 0, 2, 1), 101: blockOfVersions(101, 0, 3) };
  const node = await startAgaveNode({ blocks });
  const source = open(node.url);
  expect(tell(await source.fetch(100, NEVER))).toEqual({
    rows: ['0 fee', '0 transfer', '2 fee', '2 transfer', 'null reward'],
    problems: ['1 unsupported_version'],
  });
  expect(node.requests).toHaveLength(2);
  expect(tell(await source.fetch(101, NEVER))).toEqual({
    rows: ['0 fee', '0 transfer', 'null reward'],
    problems: ['1 unsupported_version'],
  });
  expect(node.requests).toHaveLength(3);
});

test('a block whose transactions a node refuses whatever it is asked is taken without them, and says so', async () => {
  const node = await startAgaveNode({ blocks: { 100: blockOfVersions(100, 0, 1) }, versionMax: 0 });
  const result = await open(node.url).fetch(100, NEVER);
  expect(tell(result)).toEqual({ rows: ['null reward'], problems: ['null transactions_refused'] });
  expect(result).toMatchObject({
    decoded: {
      ...{ hash: keyOf('block 100'), parentHash: keyOf('block 99'), parentNumber: 99 },
      problems: [{ message: expect.stringContaining('Transaction version (1) is not supported') }],
    },
    isPartial: true,
  });
});

test('what one node refuses is taken of another that tells it', async () => {
  const blocks = { 100: blockOfVersions(100, 0, 1) };
  const nodes = await Promise.all([0, 255].map((versionMax) => startAgaveNode({ blocks, versionMax })));
  const rested: number[] = [];
  const events = { rested: ({ endpoint }: { endpoint: number }) => void rested.push(endpoint) };
  const source = createFailOver(
    nodes.map(({ url }) => open(url)),
    events,
    retry,
  );
  const whole = tell(await open(nodes[1]?.url ?? '').fetch(100, NEVER));
  expect(tell(await source.fetch(100, NEVER))).toEqual(whole);
  expect(rested).toEqual([]);
});

test.each(['asked for', 'pushed'])(
  'the head moves on over blocks with newer transactions and over refused ones, each said to be partial: %s',
  async (way) => {
    const blocks = {
      100: blockOfVersions(100, 0),
      101: blockOfVersions(101, 0, 1),
      102: blockOfVersions(102, 2, 0),
      103: blockOfVersions(103, 1),
    };
    const node = await startAgaveNode({ blocks, versionMax: way === 'pushed' ? 0 : 255 });
    const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
    onTestFinished(() => store.close());
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    const told: string[] = [];
    const events = {
      ...{ progress: () => {}, stored: () => {}, retracted: () => {}, waiting: () => {} },
      problem: ({ block: number, problem: { code, txIndex } }: Problem) =>
        void told.push(`${number} ${txIndex} ${code}`),
    };
    const asked = open(node.url);
    const source =
      way === 'pushed' ? await pushing(asked, stopping.signal, Object.keys(blocks).map(Number)) : asked;
    const following = followChain(store, source, { firstBlock: 100, events });
    await untilHeld(store, { chain: 'solana', hash: keyOf('block 103'), following });
    await following.stop();
    expect((await readStanding(store, 'solana')).map(({ number }) => number)).toEqual([100, 101, 102, 103]);
    expect(told).toEqual(
      way === 'pushed'
        ? ['101 null transactions_refused', '102 null transactions_refused', '103 null transactions_refused']
        : ['102 0 unsupported_version'],
    );
  },
);

type Problem = {
  readonly block: number;
  readonly problem: { readonly code: string; readonly txIndex: number | null };
};

/** The same source with a node that pushes, for each of these slots, that it may not show its block. */
const pushing = async (
  asked: ReturnType<typeof open>,
  signal: AbortSignal,
  slots: readonly number[],
): Promise<ReturnType<typeof open>> => {
  const sockets = await startSlotServer({ pushesBlocks: true });
  const source = subscribeToBlocks(
    asked,
    { url: sockets.url, commitment: 'finalized', refused: () => {} },
    signal,
  );
  await expect.poll(() => sockets.received.length).toBe(1);
  for (const slot of slots) sockets.push(slot, null, { UnsupportedTransactionVersion: 1 });
  return source;
};
