import { loadConfig } from '../platform/config/config.ts';
import { type Billing, startBilling } from '../roles/billing/start-billing.ts';
import { chooseStore } from '../roles/store/choose-store.ts';
import type { Store } from '../roles/store/open-store.ts';
import { noteOfWorld } from './note-of-world.ts';
import { openToldStore } from './open-told-store.ts';
import { whileWaiting } from './reports/start-waiting.ts';

/** Opens the store that the server here would serve. */
export const withStore = async <T>(action: (store: Store) => Promise<T>): Promise<T> => {
  const config = loadConfig(process.env);
  const name = chooseStore(config);
  const note = noteOfWorld(name);
  if (note !== null) process.stderr.write(`${note}\n`);
  const store = await openToldStore(config, name);
  try {
    return await action(store);
  } finally {
    await store.close();
  }
};

/** Accounts and ledger in a process of their own: beside a running server, which then decides, or alone. */
export const withBilling = <T>(action: (billing: Billing) => Promise<T>): Promise<T> =>
  withStore(async (store) => {
    const failures: unknown[] = [];
    const onError = (error: unknown): void => void failures.push(error);
    const billing = await whileWaiting('reading accounts and credits', () =>
      startBilling(store, { onError }),
    );
    try {
      return await action(billing);
    } catch (error) {
      // The reason for the ledger's silence says more than the silence.
      throw failures.at(-1) ?? error;
    } finally {
      await billing.stop();
    }
  });
