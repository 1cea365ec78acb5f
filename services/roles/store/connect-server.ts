import { connectServerWarehouse } from '../../platform/warehouse-engine/server/connect-server-warehouse.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { shardingKeyOf } from '../../warehouse/migrate/sharding-keys.ts';
import type { Store } from './open-store.ts';

/** A store's tables on the configured server or cluster. Throws as `connectServerWarehouse`. */
export const connectServer = (
  server: NonNullable<Store['server']>,
  { makesDatabase }: { makesDatabase: boolean },
): Promise<Warehouse> =>
  connectServerWarehouse({
    ...server,
    cluster: server.cluster === null ? null : { name: server.cluster, shardingKeyOf },
    makesDatabase,
  });
