import { expect, test } from 'vitest';
import { openWalletEvents } from '../../events/wallet-events.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from '../store/open-store.ts';
import { followHistories } from './follow-histories.ts';

const WHOLE = { missing: 'nothing' };

test('a history that is stored later is unknown to whoever asked before: their rows may be older than it', async () => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  const logger = createLogger({ level: 'silent' });
  const histories = await followHistories({ store, chains: ['solana'], clock: systemClock, logger });
  const events = await openWalletEvents(store.registry);
  const tell = async (wallet: string) => {
    const readAtUnixSeconds = Math.floor(systemClock.nowUnixMs() / 1_000);
    const history = {
      chain: 'solana',
      wallet,
      transactions: 1,
      coverage: 'complete',
      readAtUnixSeconds,
    } as const;
    await store.log.append([events.read(history)]);
    await expect.poll(() => histories.now().lastRead('solana', wallet), PATIENCE).toMatchObject(WHOLE);
  };
  const before = histories.now();
  await tell('ann');
  const after = histories.now();
  await tell('bea');
  expect(before.lastRead('solana', 'ann')).toBeNull();
  expect(after.lastRead('solana', 'ann')).toMatchObject(WHOLE);
  expect(after.lastRead('solana', 'bea')).toBeNull();
  await histories.stop();
  await store.close();
});
