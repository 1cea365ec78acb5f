import { expect, test } from 'vitest';
import { openWalletEvents } from '../../events/wallet-events.ts';
import { createLogger } from '../../platform/logger.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from '../store/open-store.ts';
import { createAskForWallet } from './ask-for-wallet.ts';

test('a wallet is asked for once a minute, of followed chains only, and no more than so many a minute', async () => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  try {
    let nowUnixMs = 1_700_000_000_000;
    const ask = await createAskForWallet({
      store,
      chains: ['solana'],
      clock: { nowUnixMs: () => nowUnixMs },
      logger: createLogger({ level: 'silent' }),
    });
    const events = await openWalletEvents(store.registry);
    const asked = async () => {
      const records = await store.log.read({
        topic: 'wallets.asked',
        partition: 0,
        offset: 0,
        maxBytes: 1 << 20,
      });
      return records.map(({ value }) => events.decodeAsked(value).wallet);
    };
    expect(await ask('ethereum', 'stranger')).toBe(false);
    expect(await Promise.all(Array.from({ length: 3 }, () => ask('solana', 'ann')))).toEqual([
      true,
      true,
      true,
    ]);
    expect(await asked()).toEqual(['ann']);
    const answers = [];
    for (let i = 0; i < 100; i += 1) answers.push(await ask('solana', `wallet ${i}`));
    expect(answers.filter(Boolean)).toHaveLength(59);
    expect(await asked()).toHaveLength(60);
    nowUnixMs += 60_000;
    expect(await ask('solana', 'ann')).toBe(true);
    expect(await asked()).toHaveLength(61);
  } finally {
    await store.close();
  }
});

test('nobody is told that a wallet was asked for before the log holds it', async () => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  try {
    const written = Promise.withResolvers<never>();
    const ask = await createAskForWallet({
      store: { ...store, log: { ...store.log, append: () => written.promise } },
      chains: ['solana'],
      clock: { nowUnixMs: () => 1_700_000_000_000 },
      logger: createLogger({ level: 'silent' }),
    });
    const answers = [ask('solana', 'ann'), ask('solana', 'ann')];
    written.reject(new Error('out of reach'));
    expect(await Promise.all(answers)).toEqual([false, false]);
  } finally {
    await store.close();
  }
});
