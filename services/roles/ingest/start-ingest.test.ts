import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { WriterFencedError } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { startBranchingNode } from '../../testing/nodes/branching-solana-node.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from '../store/open-store.ts';
import { startIngest } from './start-ingest.ts';

test('ingestion ends, and says why, when another process writes in its place', async () => {
  const node = await startBranchingNode({ seed: 5, people: 8, days: 1, blockSeconds: 1_800 });
  node.follow(3);
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  const append = () => Promise.reject(new WriterFencedError('ingest-solana'));
  const chain = { name: 'solana', rpcUrls: [node.url], websocketUrl: null, start: node.firstSlot };
  const ingest = startIngest({
    store: { ...store, log: { ...store.log, append } },
    chains: [{ ...chain, commitment: 'finalized', isLive: true }],
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    clock: systemClock,
  });
  await expect(ingest.ended).rejects.toBeInstanceOf(WriterFencedError);
  await ingest.stop();
  await store.close();
});
