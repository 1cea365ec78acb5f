import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { type EventLog, FencedError } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { readStanding } from '../../testing/follow-chain.ts';
import { startAgaveNode } from '../../testing/nodes/agave-node.ts';
import { startBranchingNode } from '../../testing/nodes/branching-solana-node.ts';
import { startSlotServer } from '../../testing/nodes/slot-server.ts';
import { blockOfVersions } from '../../testing/solana/block-of-versions.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createMetrics } from '../create-metrics.ts';
import { openStore, type Store } from '../store/open-store.ts';
import { type ChainToFollow, startIngest } from './start-ingest.ts';

const PATIENCE = { timeout: 25_000, interval: 10 };

const start = (
  store: Store,
  chains: readonly Omit<ChainToFollow, 'commitment' | 'isLive'>[],
  logger = createLogger({ level: 'silent' }),
) => {
  const followed = chains.map((chain) => ({ ...chain, commitment: 'finalized', isLive: true }) as const);
  const ingest = startIngest({
    store,
    chains: followed,
    logger,
    metrics: createMetrics(),
    clock: systemClock,
  });
  onTestFinished(() => ingest.stop());
  return ingest;
};

const stage = async () => {
  const node = await startBranchingNode({ seed: 5, people: 8, days: 1, blockSeconds: 1_800 });
  const dataFolder = temporaryFolder();
  const solana = { name: 'solana', rpcUrls: [node.url], websocketUrl: null, start: node.firstSlot };
  return {
    node,
    open: async (): Promise<Store> => {
      const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
      onTestFinished(() => store.close());
      return store;
    },
    /** One process that follows it, beside these other chains. */
    follow: (store: Store, ...others: string[]) =>
      start(store, [solana, ...others.map((name) => ({ ...solana, name }))]),
    /** One process that is to have its blocks pushed from here, and what that logs. */
    followPushed: (store: Store, websocketUrl: string) => {
      const lines: string[] = [];
      const logger = createLogger({ level: 'warn', destination: { write: (line) => void lines.push(line) } });
      const ingest = start(store, [{ ...solana, websocketUrl, subscribe: 'blocks' }], logger);
      return { ingest, lines };
    },
  };
};

test('ingestion ends, and says why, when another process follows the chain in its place', async () => {
  const { node, open, follow } = await stage();
  node.follow(3);
  const store = await open();
  const consume: EventLog['consume'] = async (request) => ({
    ...(await store.log.consume(request)),
    transact: () => Promise.reject(new FencedError(request.group)),
  });
  const ingest = follow({ ...store, log: { ...store.log, consume } });
  await expect(ingest.ended).rejects.toBeInstanceOf(FencedError);
});

test('of two processes that follow a chain, whatever else they follow, one does, and the other goes on where it ended', async () => {
  const { node, open, follow } = await stage();
  node.follow(3);
  const [one, two] = [await open(), await open()];
  const first = follow(one);
  await expect.poll(() => first.progress[0]?.indexed, PATIENCE).toBe(node.firstSlot + 3);
  const second = follow(two, 'ethereum');
  node.follow(5);
  await expect.poll(() => first.progress[0]?.indexed, PATIENCE).toBe(node.firstSlot + 5);
  expect(second.progress[0]).toMatchObject({ isStandingBy: true, head: null, indexed: null });
  await first.stop();
  node.follow(8);
  await expect.poll(() => second.progress[0]?.indexed, PATIENCE).toBe(node.firstSlot + 8);
  expect(second.progress[0]?.isStandingBy).toBe(false);
  const [range] = await two.log.ranges('transfers.head');
  expect(range?.end).toBe((await readStanding(two, 'solana')).length);
});

test('a chain whose node was to push its blocks and does not is followed all the same, and the log says so once', async () => {
  const { node, open, followPushed } = await stage();
  node.follow(3);
  const sockets = await startSlotServer();
  const { ingest, lines } = followPushed(await open(), sockets.url);
  await expect.poll(() => sockets.received.length, PATIENCE).toBe(2);
  sockets.tell(node.firstSlot + 3);
  sockets.hangUp();
  await expect.poll(() => sockets.received.length, PATIENCE).toBe(4);
  node.follow(5);
  sockets.tell(node.firstSlot + 5);
  await expect.poll(() => ingest.progress[0]?.indexed, PATIENCE).toBe(node.firstSlot + 5);
  expect(lines).toEqual([
    expect.stringMatching(/"code":-32601,"msg":"the node does not offer blockSubscribe/),
  ]);
});

test('a chain whose blocks are taken in part moves on, and how many those were and why is known', async () => {
  const blocks = {
    100: blockOfVersions(100, 0, 1),
    101: blockOfVersions(101, 0, 2, 2),
    102: blockOfVersions(102, 3),
    103: blockOfVersions(103, 1),
  };
  const node = await startAgaveNode({ blocks, versionMax: 2 });
  const { open } = await stage();
  const chain = { name: 'solana', rpcUrls: [node.url], websocketUrl: null, start: 100 };
  const ingest = start(await open(), [chain]);
  await expect.poll(() => ingest.progress[0]?.indexed, PATIENCE).toBe(103);
  expect(ingest.progress[0]).toMatchObject({
    trouble: null,
    partial: { blocks: 2, newest: { block: 102, reason: 'transactions_refused' } },
  });
});
