import type { Logger } from '../../platform/logger.ts';
import { retryForever } from '../../platform/retry.ts';
import { isAlive } from '../../platform/warehouse-engine/embedded/endpoint.ts';
import { connectEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { WarehouseUnavailableError } from '../../platform/warehouse-engine/warehouse-errors.ts';
import { isMigrated } from '../../warehouse/migrate/migrate.ts';
import { connectServer } from './connect-server.ts';
import type { Store } from './open-store.ts';
import { ownTables } from './own-tables.ts';

const LOOK_MS = 1_000;
const NEVER = new AbortController().signal;

type Request = {
  readonly store: Store;
  /** Whether this process fills the tables, or only reads them. */
  readonly owns: boolean;
  readonly logger: Logger;
  /** Called on every failed attempt that is repeated. */
  readonly isAway: () => void;
  readonly onLost: (error: WarehouseUnavailableError) => void;
};

/**
 * A store's tables, once they are usable. With files they belong to one process: `onLost` is called when it ended,
 * because its successor has another address and passwords. An unreachable server is waited for. Throws what
 * waiting cannot solve: `WarehouseHeldError`, `WarehouseRefusedError`, `MigrationRefusedError`.
 */
export const openTables = async (request: Request): Promise<Warehouse> => {
  const { store, owns, logger, isAway } = request;
  if (!store.server) return owns ? ownTables(store, logger) : connectToOwner(request);
  const { server } = store;
  return untilThere(
    () => (owns ? ownTables(store, logger) : connectFilled(server)),
    (err) => {
      isAway();
      logger.warn({ err }, 'the ClickHouse server or its tables are not available yet');
    },
  );
};

/** Retries while the missing part may appear. */
const untilThere = <T>(
  open: () => Promise<T>,
  onWait: (error: WarehouseUnavailableError) => void,
): Promise<T> =>
  retryForever(open, {
    signal: NEVER,
    onWait: (error) => {
      if (!(error instanceof WarehouseUnavailableError)) throw error;
      onWait(error);
    },
  });

const connectFilled = async (server: NonNullable<Store['server']>): Promise<Warehouse> => {
  const warehouse = await connectServer(server, { makesDatabase: false });
  try {
    if (await isMigrated(warehouse.reader)) return warehouse;
    throw new WarehouseUnavailableError(
      'the role sink has not created its tables on the ClickHouse server yet',
    );
  } catch (error) {
    await warehouse.close();
    throw error;
  }
};

const connectToOwner = async ({ store, logger, isAway, onLost }: Request): Promise<Warehouse> => {
  const warehouse = await untilThere(
    () => connectEmbeddedWarehouse({ folder: store.warehouseFolder }),
    (err) => {
      isAway();
      logger.info({ err }, 'the process that owns the tables (role sink) does not run yet');
    },
  );
  const looking = setInterval(() => {
    // Watches the process, not the engine: a dead engine soon returns at the same address.
    if (isAlive(warehouse.ownerPid)) return;
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
