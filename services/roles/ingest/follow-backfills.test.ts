import { expect, onTestFinished, test } from 'vitest';
import { openWalletEvents } from '../../events/wallet-events.ts';
import { systemClock } from '../../platform/clock.ts';
import { type EventLog, LogError } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore, type Store } from '../store/open-store.ts';
import { followBackfills } from './follow-backfills.ts';

const WALLET = {
  ...{ chain: 'solana', wallet: 'w', transactions: 0, coverage: 'complete' },
  ...{ readAtUnixSeconds: 1, isPart: false },
};
const KNOWN = { readAtUnixSeconds: 1, missing: 'nothing' };
const UNREADABLE = { topic: 'wallets.read', key: 'x', value: Buffer.from('no record of ours') };

const open = async () => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  const told = (await openWalletEvents(store.registry)).read(WALLET);
  return { store, told };
};

const follow = async (store: Store) => {
  const logger = createLogger({ level: 'silent' });
  const followed = await followBackfills({ store, chains: ['solana'], clock: systemClock, logger });
  onTestFinished(() => followed.stop());
  return () => followed.now().lastBackfill('solana', 'w');
};

test('a record that nobody can read keeps no wallet from being known, before or behind the start', async () => {
  const { store, told } = await open();
  await store.log.append([UNREADABLE]);
  const lastBackfill = await follow(store);
  await store.log.append([UNREADABLE, told]);
  await expect.poll(lastBackfill, PATIENCE).toEqual(KNOWN);
});

test('a wallet that was read is known, also where the log fails when the tables are waited for', async () => {
  const { store, told } = await open();
  let failures = 2;
  const ranges: EventLog['ranges'] = async (topic) => {
    if (topic.startsWith('transfers.') && failures-- > 0) throw new LogError('log_locked', 'for a moment');
    return store.log.ranges(topic);
  };
  const lastBackfill = await follow({ ...store, log: { ...store.log, ranges } });
  await store.log.append([told]);
  await expect.poll(lastBackfill, PATIENCE).toEqual(KNOWN);
  expect(failures).toBeLessThan(0);
});
