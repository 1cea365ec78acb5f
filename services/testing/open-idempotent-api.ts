import { onTestFinished } from 'vitest';
import { openIdempotency } from '../roles/billing/open-idempotency.ts';
import { openStore } from '../roles/store/open-store.ts';
import { openBilledApi } from './open-billed-api.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The API with one key, and Idempotency-Keys kept in a real log. */
export const openIdempotentApi = async (
  setting: Pick<Parameters<typeof openBilledApi>[0] & {}, 'reader' | 'caseDesk'> = {},
) => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 4 << 20 });
  onTestFinished(store.close);
  const idempotency = await openIdempotency(
    { logger: { error: () => {} } as never, closing: (_name, _order, stop) => onTestFinished(stop) },
    store,
  );
  return openBilledApi({ idempotency, ...setting });
};
