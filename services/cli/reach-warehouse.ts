import { existsSync } from 'node:fs';
import { createLogger } from '../platform/logger.ts';
import { connectEmbeddedWarehouse } from '../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import type { Warehouse } from '../platform/warehouse-engine/warehouse.ts';
import { WarehouseHeldError } from '../platform/warehouse-engine/warehouse-errors.ts';
import type { Store } from '../roles/store/open-store.ts';
import { ownTables } from '../roles/store/own-tables.ts';

/** Whether a store has tables that this machine can reach: on a server, or in its folder. */
export const hasWarehouse = ({ server, warehouseFolder }: Store): boolean =>
  server !== null || existsSync(warehouseFolder);

/** The configured server, a running service's engine, or a temporary one of our own. */
export const reachWarehouse = async (store: Store): Promise<Pick<Warehouse, 'writer' | 'close'>> => {
  const logger = createLogger({ level: 'warn' });
  try {
    return await ownTables(store, logger);
  } catch (error) {
    if (error instanceof WarehouseHeldError)
      return connectEmbeddedWarehouse({ folder: store.warehouseFolder });
    throw error;
  }
};
