import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

/** Other queries get the other processors. */
const SETTINGS = { max_threads: 1 } as const;

/** The same client for queries that nobody waits for. */
export const withoutHaste = (client: WarehouseClient): WarehouseClient =>
  new Proxy(client, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      if (name !== 'query') return member.bind(target) as unknown;
      return (request: Parameters<WarehouseClient['query']>[0]) =>
        target.query({ ...request, clickhouse_settings: { ...request.clickhouse_settings, ...SETTINGS } });
    },
  });
