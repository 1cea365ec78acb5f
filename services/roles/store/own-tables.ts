import type { Logger } from '../../platform/logger.ts';
import { startEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { toServerError } from '../../platform/warehouse-engine/server/connect-server-warehouse.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { makeViews } from '../../warehouse/analyst/make-views.ts';
import { MigrationRefusedError, migrate } from '../../warehouse/migrate/migrate.ts';
import { connectServer } from './connect-server.ts';
import { DATABASE } from './database.ts';
import type { Store } from './open-store.ts';

/**
 * A store's engine for the process that fills its tables: the configured server, or an embedded one. Throws
 * `WarehouseHeldError` if another process runs the embedded one, `WarehouseUnavailableError`,
 * `WarehouseRefusedError`.
 */
export const openEngine = ({ server, warehouseFolder }: Store, logger: Logger): Promise<Warehouse> =>
  server
    ? connectServer(server, { makesDatabase: true, onWarning: (sentence) => logger.warn(sentence) })
    : startEmbeddedWarehouse({ folder: warehouseFolder, database: DATABASE, logger });

/** The same after migrations. Also throws as `migrate`. */
export const ownTables = async (store: Store, logger: Logger): Promise<Warehouse> => {
  const warehouse = await openEngine(store, logger);
  try {
    await migrate(warehouse);
    await makeViews(warehouse);
    return warehouse;
  } catch (error) {
    await warehouse.close();
    // A server may fail at any statement and return.
    throw store.server && !(error instanceof MigrationRefusedError) ? toServerError(error) : error;
  }
};
