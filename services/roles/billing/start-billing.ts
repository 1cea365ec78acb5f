import { join } from 'node:path';
import { openAccountCodec } from '../../accounts/account-codec.ts';
import { type Accounts, startAccounts } from '../../accounts/accounts.ts';
import { type Ledger, type LedgerOptions, startLedger } from '../../credits/ledger.ts';
import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { openSnapshotFile } from '../../credits/snapshot-file.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../store/open-store.ts';

export type Billing = { readonly accounts: Accounts; readonly ledger: Ledger; stop(): Promise<void> };

export const snapshotPath = (store: Pick<Store, 'folder'>): string => join(store.folder, 'ledger-snapshot');

/** Accounts, keys and the ledger of a store. Resolves when keys and balances are known. */
export const startBilling = async (
  store: Store,
  options: Pick<LedgerOptions, 'onError' | 'snapshotEvents'>,
): Promise<Billing> => {
  const { log, registry } = store;
  const shared = { ...options, log, clock: systemClock };
  const accounts = await startAccounts({ ...shared, codec: await openAccountCodec(registry) });
  const ledger = startLedger({
    ...shared,
    codec: await openLedgerCodec(registry),
    snapshot: openSnapshotFile(snapshotPath(store)),
  });
  await ledger.ready();
  return {
    accounts,
    ledger,
    stop: async () => {
      await Promise.all([accounts.stop(), ledger.stop()]);
    },
  };
};
