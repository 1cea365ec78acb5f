import { ClickHouseError } from '@clickhouse/client';
import type { Addresses } from '../../config/addresses.ts';
import type { ClickHouseServer } from '../../config/clickhouse.ts';
import { splitLogin } from '../../login.ts';
import { messageOf } from '../../message-of.ts';
import { type ClientRequest, createWarehouseClient } from '../create-clients.ts';
import { sendBody } from '../send-body.ts';
import type { Warehouse, WarehouseClient } from '../warehouse.ts';
import { WarehouseRefusedError, WarehouseUnavailableError } from '../warehouse-errors.ts';
import { askServersInTurn } from './ask-servers-in-turn.ts';
import { checkCluster } from './check-cluster.ts';
import { type Cluster, toClusterStatements } from './cluster-statements.ts';

export type ServerWarehouseOptions = {
  /**
   * `http(s)://user:password@host:port` of a user who may create the database and its tables. Several are
   * servers of one cluster: where one is away, the next is asked.
   */
  readonly urls: Addresses;
  /**
   * The same for queries, of a user whose profile cannot write (`infra/clickhouse`). Without it, queries go
   * out as the writer with `readonly` set on each. Our own queries cannot write then, but anybody who has the
   * URL can.
   */
  readonly readerUrls: Addresses | null;
  readonly database: string;
  /** null: a single server. */
  readonly cluster: (Cluster & Pick<ClickHouseServer, 'quorum'>) | null;
  /** What works now, but not while a replica is away, a sentence each. */
  readonly onWarning?: (sentence: string) => void;
  /** A process that only reads waits for the database, and needs no right to create one. */
  readonly makesDatabase: boolean;
};

/** On a cluster every queried table is spread over several servers. */
export const CLUSTER_SETTINGS = {
  // Confirmed when the rows are on the shards and on the quorum's replicas of each, because the log advances then.
  distributed_foreground_insert: 1,
  // Does not query a replica that lacks rows which another replica has already confirmed.
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  // Each queried shard looks up `IN (SELECT …)` and joins on all shards (docs/decisions/0017).
  distributed_product_mode: 'allow',
  optimize_skip_unused_shards: 1,
  // INSERT SELECT between tables with different sharding keys must not stay on each shard.
  parallel_distributed_insert_select: 0,
} as const;

/** `readonly` 2 still lets a query set its own time limit. */
const READ_ONLY = { readonly: '2' } as const;

/**
 * Connects to an external ClickHouse server, which `close` leaves running. Throws `WarehouseUnavailableError`
 * when it does not answer or the database does not exist yet, and `WarehouseRefusedError` when it refuses the
 * user, does not let him create the database, or its cluster cannot hold the tables.
 */
export const connectServerWarehouse = async (options: ServerWarehouseOptions): Promise<Warehouse> => {
  const { urls, readerUrls, database, cluster } = options;
  await greet(options);
  const settings = cluster ? { ...CLUSTER_SETTINGS, insert_quorum: cluster.quorum } : {};
  const writer = connect(urls, { database, settings });
  if (cluster) spreadCommands(writer, cluster, database);
  const reader = readerUrls
    ? connect(readerUrls, { database, settings })
    : connect(urls, { database, settings: { ...settings, ...READ_ONLY } });
  return {
    writer,
    reader,
    database,
    insertBody: (insert) => sendBody(writer, insert),
    close: async () => {
      await Promise.all([writer.close(), reader.close()]);
    },
  };
};

const connect = (
  [first, ...others]: Addresses,
  request: Pick<ClientRequest, 'database' | 'settings'>,
): WarehouseClient => {
  const open = (url: string) => createWarehouseClient({ ...toTarget(url), ...request });
  return askServersInTurn([open(first), ...others.map(open)]);
};

/** Only this client knows that there are several servers. It translates statements for the cluster. */
const spreadCommands = (client: WarehouseClient, cluster: Cluster, database: string): void => {
  const command = client.command.bind(client);
  client.command = async (request) => {
    let result: Awaited<ReturnType<typeof command>> | undefined;
    for (const statement of toClusterStatements(request, cluster, database))
      result = await command({ ...request, ...statement });
    if (!result) throw new RangeError('a statement must become at least one statement');
    return result;
  };
};

const MAKE = 'CREATE DATABASE IF NOT EXISTS {database:Identifier} ENGINE = Atomic';

/** Creates the database, or checks for it. */
const greet = async (options: ServerWarehouseOptions): Promise<void> => {
  const { urls, readerUrls, database, cluster, makesDatabase, onWarning } = options;
  // A server refuses every query that names a missing database, even the one that creates it. So `default` is
  // named here; without a name the user's own default would apply.
  const client = makesDatabase
    ? connect(urls, { database: 'system' })
    : connect(readerUrls ?? urls, { database });
  if (cluster) spreadCommands(client, cluster, database);
  try {
    if (cluster && makesDatabase)
      for (const warning of await checkCluster(client, cluster)) onWarning?.(warning);
    await client.command({ query: makesDatabase ? MAKE : 'SELECT 1', query_params: { database } });
  } catch (cause) {
    throw cause instanceof WarehouseRefusedError ? cause : toServerError(cause);
  } finally {
    await client.close();
  }
};

/**
 * Unknown user, wrong or missing password, authentication failed, access denied. Any other error may be
 * temporary.
 */
const REFUSALS = new Set(['192', '193', '194', '497', '516']);
/** Whether a server refused the user, as opposed to a temporary error. */
export const toServerError = (cause: unknown): WarehouseRefusedError | WarehouseUnavailableError =>
  isRefusal(cause)
    ? new WarehouseRefusedError(`the ClickHouse server refuses the user: ${cause.message}`, { cause })
    : new WarehouseUnavailableError(
        `the ClickHouse server of CLICKHOUSE_URL cannot be used: ${messageOf(cause)}`,
        { cause },
      );

const isRefusal = (error: unknown): error is ClickHouseError =>
  error instanceof ClickHouseError && REFUSALS.has(error.code);

/** Credentials are removed from the URL, so that no error message can contain them. */
const toTarget = (text: string) => {
  const { url, login } = splitLogin(text);
  return {
    url: url.href,
    credentials: { username: login?.username || 'default', password: login?.password ?? '' },
  };
};
