import {
  connectServerWarehouse,
  type ServerWarehouseOptions,
} from '../../platform/warehouse-engine/server/connect-server-warehouse.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { shardingKeyOf } from '../../warehouse/migrate/sharding-keys.ts';
import type { Store } from './open-store.ts';

/** A store's tables on the configured server or cluster. Throws as `connectServerWarehouse`. */
export const connectServer = (
  { cluster, quorum, ...server }: NonNullable<Store['server']>,
  { makesDatabase, onWarning }: Pick<ServerWarehouseOptions, 'makesDatabase' | 'onWarning'>,
): Promise<Warehouse> =>
  connectServerWarehouse({
    ...server,
    cluster: cluster === null ? null : { name: cluster, shardingKeyOf, quorum },
    makesDatabase,
    ...(onWarning && { onWarning }),
  });
