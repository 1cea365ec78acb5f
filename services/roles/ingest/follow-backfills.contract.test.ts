import { expect, test } from 'vitest';
import { openHistoryEvents } from '../../events/history-events.ts';
import { openWalletEvents } from '../../events/wallet-events.ts';
import type { ListedWindow } from '../../investigate/model/history.ts';
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

test('a window that was read is known with the end of its reading, and a part is no whole history', async () => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  const logger = createLogger({ level: 'silent' });
  const wallets = await openWalletEvents(store.registry);
  const histories = await openHistoryEvents(store.registry);
  const window = (first: number): ListedWindow => ({
    ...{ chain: 'solana', address: 'ann', kinds: ['sent'], asset: null, first, last: first + 9 },
    ...{ lastUnixSeconds: null, source: 'solana-node', proof: 'listed', reason: null },
    ...{ transactions: 0, readAtUnixSeconds: 1 },
  });
  const end = (readAtUnixSeconds: number) =>
    wallets.read({
      ...{ chain: 'solana', wallet: 'ann', transactions: 0, coverage: 'older_left_out' },
      ...{ readAtUnixSeconds, isPart: true },
    });
  await store.log.append([histories.listed(window(1)), end(1)]);
  const backfills = await followBackfills({ store, chains: ['solana'], clock: systemClock, logger });
  const readings = () => backfills.now().lastReading?.('solana', 'ann')?.readAtUnixSeconds;
  await expect.poll(readings, PATIENCE).toBe(1);
  const before = backfills.now();
  await store.log.append([histories.listed(window(10)), end(2)]);
  await expect.poll(readings, PATIENCE).toBe(2);
  const firstsOf = (known: typeof before) => known.windows?.('solana', 'ann').map(({ first }) => first);
  expect(firstsOf(backfills.now())).toEqual([1, 10]);
  expect(firstsOf(before)).toEqual([1]);
  expect(backfills.now().lastBackfill('solana', 'ann')).toBeNull();
  await backfills.stop();
  await store.close();
});
