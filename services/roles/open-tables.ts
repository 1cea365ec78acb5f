import type { Logger } from '../platform/logger.ts';
import { retryForever } from '../platform/retry.ts';
import { isAlive } from '../platform/warehouse-engine/embedded/endpoint.ts';
import {
  connectEmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import type { Warehouse } from '../platform/warehouse-engine/warehouse.ts';
import { WarehouseUnavailableError } from '../platform/warehouse-engine/warehouse-errors.ts';
import { migrate } from '../warehouse/migrate.ts';
import { DATABASE } from './database.ts';

const LOOK_MS = 1_000;
const NEVER = new AbortController().signal;

/**
 * The tables of a store: owned by this process, or those that another process of this machine owns, once it runs.
 * `onLost` is told when that other one has ended: its successor listens elsewhere, with other passwords.
 */
export const openTables = async (request: {
  folder: string;
  owns: boolean;
  logger: Logger;
  onLost: (error: WarehouseUnavailableError) => void;
}): Promise<Warehouse> => {
  const { folder, owns, logger, onLost } = request;
  if (owns) {
    const warehouse = await startEmbeddedWarehouse({ folder, database: DATABASE, logger });
    await migrate(warehouse);
    return warehouse;
  }
  const onWait = (err: unknown): void =>
    logger.info({ err }, 'the process that owns the tables (role sink) does not run yet');
  const warehouse = await retryForever(() => connectEmbeddedWarehouse({ folder }), { signal: NEVER, onWait });
  const looking = setInterval(() => {
    if (isAlive(warehouse.pid)) return;
    clearInterval(looking);
    onLost(new WarehouseUnavailableError('the process that owns the tables (role sink) has ended'));
  }, LOOK_MS).unref();
  return {
    ...warehouse,
    close: async () => {
      clearInterval(looking);
      await warehouse.close();
    },
  };
};
