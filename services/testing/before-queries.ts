import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';

type Query = Parameters<WarehouseClient['query']>[0];

/** The client, but that this comes before each of its questions. */
export const beforeQueries = (
  client: WarehouseClient,
  before: (request: Query) => unknown,
): WarehouseClient =>
  new Proxy(client, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name);
      return async (request: Query) => {
        await before(request);
        return target.query(request);
      };
    },
  });
