import { setTimeout as sleep } from 'node:timers/promises';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { WarehouseUnavailableError } from '../../platform/warehouse-engine/warehouse-errors.ts';
import type { Store } from './open-store.ts';
import { isRebuilding } from './rebuild-marker.ts';

const LOOK_MS = 1_000;
/** A client that has not looked for this long (stopped process, busy thread) looks before its next question. */
const SEEN_MS = 5 * LOOK_MS;
/** How long a rebuild waits between its marker and the first dropped table. */
export const NOTICE_MS = 2 * SEEN_MS;

type Options = {
  /** Called once when a rebuild begins. */
  readonly onRebuild: () => void;
  readonly onError: (error: unknown) => void;
};

/**
 * Makes a client of server tables refuse every query from a rebuild's start to its end. It looks every second,
 * not at every query; a running query sees the old tables. Returns a function that ends the looking.
 */
export const refuseWhileRebuilt = async (
  client: WarehouseClient,
  store: Pick<Store, 'folder' | 'log'>,
  { onRebuild, onError }: Options,
): Promise<() => Promise<void>> => {
  const stopping = new AbortController();
  let isRefusing = false;
  let lookedMs = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    const startedMs = performance.now();
    const found = await isRebuilding(store);
    if (found && !isRefusing) onRebuild();
    isRefusing = found;
    lookedMs = startedMs;
  };
  const refuse = async (): Promise<void> => {
    // While the log is away no rebuild can proceed, so the last state holds.
    if (performance.now() - lookedMs > SEEN_MS) await look().catch(onError);
    if (isRefusing) throw new WarehouseUnavailableError('the tables are being rebuilt from the log');
  };
  const keepLooking = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) await look().catch(onError);
    }
  };
  await look().catch(onError);
  const query = client.query.bind(client);
  client.query = async (request) => {
    await refuse();
    return query(request);
  };
  const ping = client.ping.bind(client);
  client.ping = async (request) => {
    try {
      await refuse();
    } catch (error) {
      return { success: false, error: error as Error };
    }
    return ping(request);
  };
  const looking = keepLooking();
  return async () => {
    stopping.abort();
    await looking;
  };
};
