import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../platform/logger.ts';
import { startEmbeddedWarehouse } from '../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { WarehouseHeldError } from '../platform/warehouse-engine/warehouse-errors.ts';
import { migrate } from '../warehouse/migrate.ts';
import { readLag } from '../warehouse/sink/lag.ts';
import { DATABASE } from './database.ts';
import type { Store } from './open-store.ts';
import { SINK_GROUP, startSink, TRANSFER_TOPICS } from './start-sink.ts';

export type Draining = {
  /** Whether another process (a running server) owns the tables and fills them. */
  readonly byOther: boolean;
  /** Resolves when the tables hold what the log holds; rejects when the sink failed or the signal aborts. */
  untilEmpty(signal: AbortSignal, onLag: (records: number) => void): Promise<void>;
  stop(): Promise<void>;
};

const LOOK_MS = 50;
// Nobody asks while files are read in: fewer and larger inserts are all that counts.
const BULK_LINGER_MS = 2_000;

/** Sees to it that the log of a store reaches its tables: here, or by the server that owns them. */
export const startDraining = async (
  store: Store,
  options: { batchBytesMax: number; logger: Logger },
): Promise<Draining> => {
  const lag = () => readLag(store.log, SINK_GROUP, TRANSFER_TOPICS);
  const wait = async (signal: AbortSignal, onLag: (records: number) => void): Promise<void> => {
    for (let records = await lag(); records > 0; records = await lag()) {
      onLag(records);
      await sleep(LOOK_MS, undefined, { signal });
    }
  };
  const warehouse = await ownWarehouse(store, options.logger);
  if (!warehouse) return { byOther: true, untilEmpty: wait, stop: async () => {} };
  await migrate(warehouse);
  const sink = startSink({ store, warehouse, lingerMs: BULK_LINGER_MS, ...options });
  return {
    byOther: false,
    untilEmpty: (signal, onLag) => {
      sink.hurry();
      return Promise.race([wait(signal, onLag), sink.ended]);
    },
    stop: async () => {
      try {
        await sink.stop();
      } finally {
        await warehouse.close();
      }
    },
  };
};

/** null where the tables belong to a running server. */
const ownWarehouse = async (store: Store, logger: Logger) => {
  try {
    return await startEmbeddedWarehouse({ folder: store.warehouseFolder, database: DATABASE, logger });
  } catch (error) {
    if (error instanceof WarehouseHeldError) return null;
    throw error;
  }
};
