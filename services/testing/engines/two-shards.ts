import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../platform/free-port.ts';
import { createWarehouseClient } from '../../platform/warehouse-engine/create-clients.ts';
import { readEndpoint } from '../../platform/warehouse-engine/embedded/endpoint.ts';
import {
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { toClusterStatements } from '../../platform/warehouse-engine/server/cluster-statements.ts';
import { CLUSTER_SETTINGS } from '../../platform/warehouse-engine/server/connect-server-warehouse.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { shardingKeyOf } from '../../warehouse/migrate/sharding-keys.ts';

const CLUSTER = 'main';

export type TwoShards = AsyncDisposable & {
  /** Of the first server. Statements become what they mean on the cluster. */
  connect(database: string): Promise<WarehouseClient>;
  /** Each by itself, in the name of the writer. */
  readonly servers: readonly EmbeddedWarehouse[];
};

/**
 * Two servers that are the shards of one cluster. They have no queue for statements on all servers and no keeper: each statement
 * `ON CLUSTER` is sent to each of them, and tables are not replicated.
 */
export const startTwoShards = async (): Promise<TwoShards> => {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'spoor-shard-')));
  const ports = [await freePort(), await freePort()];
  const shards = ports.map((port) => ({ shard: { replica: { host: '127.0.0.1', port } } }));
  // By the secret a server believes the other in whose name it asks.
  const remote_servers = { [CLUSTER]: [{ secret: randomUUID() }, ...shards] };
  const servers = await Promise.all(
    folders.map((folder, place) =>
      startEmbeddedWarehouse({
        ...{ folder, database: 'spoor_unused' },
        configuration: { tcp_port: ports[place] ?? 0, remote_servers },
      }),
    ),
  );
  const clients: WarehouseClient[] = [];
  const everywhere = (database: string): WarehouseClient[] => {
    const made = folders.map((folder) => clientOf(folder, database));
    clients.push(...made);
    return made;
  };
  return {
    servers,
    connect: async (database) => {
      const query = 'CREATE DATABASE {database:Identifier} ENGINE = Atomic';
      await spread(everywhere('system'), { query, query_params: { database } }, database);
      const targets = everywhere(database);
      const [client] = everywhere(database);
      if (!client) throw new RangeError('there are two servers');
      client.command = (request) => spread(targets, request, database);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all(servers.map((server) => server.close()));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
};

type Command = WarehouseClient['command'];

/** What a statement means on the cluster, on all servers or on the first. */
const spread = async (
  servers: readonly WarehouseClient[],
  request: Parameters<Command>[0],
  database: string,
): ReturnType<Command> => {
  const { query, query_params } = request;
  const cluster = { name: CLUSTER, shardingKeyOf };
  let result: Awaited<ReturnType<Command>> | undefined;
  for (const statement of toClusterStatements(
    { query, ...(query_params && { query_params }) },
    cluster,
    database,
  )) {
    const isForAll = statement.query.includes(` ON CLUSTER '${CLUSTER}'`);
    // What they cannot run as it is, their parser reads at least.
    if (isForAll)
      await servers[0]?.command({ ...request, ...statement, query: `EXPLAIN AST ${statement.query}` });
    for (const server of isForAll ? servers : servers.slice(0, 1))
      result = await server.command({ ...request, ...statement, query: aloneOf(statement.query) });
  }
  if (!result) throw new RangeError('a statement must become at least one statement');
  return result;
};

const clientOf = (folder: string, database: string): WarehouseClient => {
  const endpoint = readEndpoint(folder);
  if (!endpoint) throw new Error('a running engine says how it is reached');
  return createWarehouseClient({
    ...{ url: `http://127.0.0.1:${endpoint.port}`, database },
    credentials: endpoint.credentials.writer,
    settings: CLUSTER_SETTINGS,
  });
};

const aloneOf = (query: string): string =>
  query
    .replace(` ON CLUSTER '${CLUSTER}'`, '')
    .replace(/Replicated(\w*MergeTree)\('[^']*', '[^']*'(, )?/, '$1(')
    .replace(/replicated_deduplication_window_seconds = \d+, |(?=replicated_deduplication_window = 0)/, '')
    .replace(/\breplicated_deduplication_window\b/, 'non_replicated_deduplication_window');
