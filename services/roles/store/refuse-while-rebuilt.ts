import { setTimeout as sleep } from 'node:timers/promises';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { WarehouseUnavailableError } from '../../platform/warehouse-engine/warehouse-errors.ts';
import type { Store } from './open-store.ts';
import { isRebuilding } from './rebuild-marker.ts';

const LOOK_MS = 1_000;
/** Who did not look for so long (its process was stopped, its thread busy) looks before the next question. */
const SEEN_MS = 5 * LOOK_MS;
/** How long a rebuild waits between its marker and the first table that is dropped. */
export const NOTICE_MS = 2 * SEEN_MS;

type Options = {
  /** Told once, when a rebuild begins. */
  readonly onRebuild: () => void;
  readonly onError: (error: unknown) => void;
};

/**
 * Has a client of tables on a server refuse every question from the moment a rebuild was announced until its end: in between
 * they are empty or half filled. Looks every second, not at every question; a question that is under way sees the tables
 * as they were. Returns what ends the looking.
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
    // While the log is away no rebuild goes on: what was seen last holds.
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
