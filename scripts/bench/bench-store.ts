import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KafkaEngines } from '../../services/platform/config/kafka.ts';
import { createLogger } from '../../services/platform/logger.ts';
import {
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../../services/platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { type FollowedLabels, followLabels } from '../../services/roles/api/follow-labels.ts';
import { DATABASE } from '../../services/roles/store/database.ts';
import { openStore, type Store } from '../../services/roles/store/open-store.ts';
import { migrate } from '../../services/warehouse/migrate/migrate.ts';

const MIB = 1 << 20;
export const BATCH_BYTES = 48 * MIB;
export const logger = createLogger({ level: 'warn' });

export type BenchStore = { readonly store: Store; readonly warehouse: EmbeddedWarehouse };

/**
 * Runs a measurement on a temporary store like a service's, removed afterwards. Its log is in the same folder, or
 * on brokers whose topics were applied.
 */
export const withStore = async <T>(
  measure: (bench: BenchStore) => Promise<T>,
  kafka: KafkaEngines | null = null,
): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'spoor-bench-'));
  const store = await openStore({ dataFolder: folder, name: 'chain', maxQueuedBytes: 32 * MIB, kafka });
  const warehouse = await startEmbeddedWarehouse({
    folder: store.warehouseFolder,
    database: DATABASE,
    logger,
  });
  try {
    await migrate(warehouse);
    return await measure({ store, warehouse });
  } finally {
    await warehouse.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
};

/** With the store's labels held in memory, as an API process holds them. */
export const withHeldLabels = async <T>(
  { store }: BenchStore,
  measure: (held: FollowedLabels) => Promise<T>,
): Promise<T> => {
  const held = await followLabels({ store, logger });
  try {
    const seconds = await secondsOf(() => held.untilRead);
    say(`labels of the log held after ${seconds.toFixed(1)} s`);
    return await measure(held);
  } finally {
    await held.stop();
  }
};

export const secondsOf = async (action: () => Promise<unknown>): Promise<number> => {
  const startMs = performance.now();
  await action();
  return (performance.now() - startMs) / 1_000;
};

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
