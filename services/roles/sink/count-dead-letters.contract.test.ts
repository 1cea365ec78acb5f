import { expect, test } from 'vitest';
import { HISTORY_LISTED } from '../../events/history-events.ts';
import { WALLETS_ASKED } from '../../events/wallet-events.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { SinkStage } from '../../testing/sink-stage.ts';
import { createMetrics } from '../create-metrics.ts';
import { startWallets } from '../ingest/start-wallets.ts';
import { startHistories } from './start-histories.ts';
import { startLabels } from './start-labels.ts';
import { startReferences } from './start-references.ts';

const stage = new SinkStage();

const node = { rpcUrls: ['http://127.0.0.1:1'], websocketUrl: null, commitment: 'finalized' as const };
const wallets = (request: Omit<Parameters<typeof startWallets>[0], 'chains' | 'clock'>) =>
  startWallets({
    ...request,
    chains: [{ name: 'solana', ...node, start: null, isLive: true }],
    clock: systemClock,
  });

test.each([
  ['labels', startLabels],
  ['assets', startReferences],
  ['prices', startReferences],
  [HISTORY_LISTED, startHistories],
  [WALLETS_ASKED, wallets],
])('a record of %s that can never be used is counted, as an alert asks for it', async (topic, start) => {
  const { store, warehouse } = stage;
  const metrics = createMetrics();
  const sink = start({ store, warehouse, logger: createLogger({ level: 'silent' }), metrics });
  await store.log.append([{ topic, key: 'k', value: Buffer.from('torn') }]);
  const lines = async () => (await metrics.expose()).text.split('\n');
  await expect.poll(lines, PATIENCE).toContain(`spoor_dead_letters_total{topic="${topic}"} 1`);
  await sink.stop();
});
