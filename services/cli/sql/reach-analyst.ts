import { existsSync } from 'node:fs';
import type { Config } from '../../platform/config/config.ts';
import { createLogger } from '../../platform/logger.ts';
import {
  connectEmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { WarehouseUnavailableError } from '../../platform/warehouse-engine/warehouse-errors.ts';
import { chooseStore } from '../../roles/store/choose-store.ts';
import { DATABASE } from '../../roles/store/database.ts';
import { storeFolder, warehouseFolderOf } from '../../roles/store/open-store.ts';
import { makeViews } from '../../warehouse/analyst/make-views.ts';
import { migrate } from '../../warehouse/migrate/migrate.ts';

export type Analyst = {
  /** `http://user:password@host:port/?database=…` */
  readonly address: string;
  readonly close: () => Promise<void>;
};

class NothingToAskError extends Error {
  readonly code = 'nothing_to_ask';
  constructor(message: string) {
    super(message);
    this.name = 'NothingToAskError';
  }
}

/** The user `analyst` on a running service's engine, or on a temporary one. */
export const reachAnalyst = async (config: Config): Promise<Analyst> => {
  if (config.clickhouse)
    throw new NothingToAskError(
      'the tables lie on the server of CLICKHOUSE_URL: name it with --url http://analyst:PASSWORD@HOST:PORT/?database=spoor_analyst',
    );
  const folder = warehouseFolderOf(storeFolder(config.dataFolder, chooseStore(config)));
  if (!existsSync(folder))
    throw new NothingToAskError(`there are no tables in ${config.dataFolder} yet: spoor start makes them`);
  try {
    const running = await connectEmbeddedWarehouse({ folder });
    return { address: running.analystUrl, close: running.close };
  } catch (error) {
    if (!(error instanceof WarehouseUnavailableError)) throw error;
  }
  const logger = createLogger({ level: 'warn' });
  const own = await startEmbeddedWarehouse({ folder, database: DATABASE, logger });
  try {
    await migrate(own);
    await makeViews(own);
  } catch (error) {
    await own.close();
    throw error;
  }
  return { address: own.analystUrl, close: own.close };
};
