import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { type EventLog, FencedError } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { readStanding } from '../../testing/follow-chain.ts';
import { startBranchingNode } from '../../testing/nodes/branching-solana-node.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore, type Store } from '../store/open-store.ts';
import { startIngest } from './start-ingest.ts';

const PATIENCE = { timeout: 25_000, interval: 10 };

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
    follow: (store: Store, ...others: string[]) => {
      const chains = [solana, ...others.map((name) => ({ ...solana, name }))];
      const ingest = startIngest({
        store,
        chains: chains.map((chain) => ({ ...chain, commitment: 'finalized', isLive: true })),
        logger: createLogger({ level: 'silent' }),
        metrics: createMetrics(),
        clock: systemClock,
      });
      onTestFinished(() => ingest.stop());
      return ingest;
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
