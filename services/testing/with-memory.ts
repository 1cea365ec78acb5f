import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';

/** The client, but that none of its statements may take more memory than this. */
export const withMemory = (client: WarehouseClient, bytesMax: number): WarehouseClient => {
  const bounded = <Request extends { readonly clickhouse_settings?: object }>(request: Request): Request => ({
    ...request,
    clickhouse_settings: { ...request.clickhouse_settings, max_memory_usage: String(bytesMax) },
  });
  return new Proxy(client, {
    get: (target, name) => {
      if (name === 'query')
        return (request: Parameters<typeof target.query>[0]) => target.query(bounded(request));
      if (name === 'command')
        return (request: Parameters<typeof target.command>[0]) => target.command(bounded(request));
      return Reflect.get(target, name);
    },
  });
};
