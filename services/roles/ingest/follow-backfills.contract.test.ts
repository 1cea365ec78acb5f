import { expect, test } from 'vitest';
import { openWalletEvents } from '../../events/wallet-events.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from '../store/open-store.ts';
import { followBackfills } from './follow-backfills.ts';

const WHOLE = { missing: 'nothing' };

test('a history that is stored later is unknown to whoever asked before: their rows may be older than it', async () => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  const logger = createLogger({ level: 'silent' });
  const backfills = await followBackfills({ store, chains: ['solana'], clock: systemClock, logger });
  const events = await openWalletEvents(store.registry);
  const tell = async (wallet: string) => {
    const readAtUnixSeconds = Math.floor(systemClock.nowUnixMs() / 1_000);
    const history = {
      chain: 'solana',
      wallet,
      transactions: 1,
      coverage: 'complete',
      readAtUnixSeconds,
      isPart: false,
    } as const;
    await store.log.append([events.read(history)]);
    await expect.poll(() => backfills.now().lastBackfill('solana', wallet), PATIENCE).toMatchObject(WHOLE);
  };
  const before = backfills.now();
  await tell('ann');
  const after = backfills.now();
  await tell('bea');
  expect(before.lastBackfill('solana', 'ann')).toBeNull();
  expect(after.lastBackfill('solana', 'ann')).toMatchObject(WHOLE);
  expect(after.lastBackfill('solana', 'bea')).toBeNull();
  await backfills.stop();
  await store.close();
});
