import { ClickHouseError } from '@clickhouse/client';
import { splitLogin } from '../../login.ts';
import { messageOf } from '../../message-of.ts';
import { createWarehouseClient } from '../create-clients.ts';
import { sendBody } from '../send-body.ts';
import type { Warehouse, WarehouseClient } from '../warehouse.ts';
import { WarehouseRefusedError, WarehouseUnavailableError } from '../warehouse-errors.ts';
import { type Cluster, toClusterStatements } from './cluster-statements.ts';

export type ServerWarehouseOptions = {
  /** `http(s)://user:password@host:port`: a user who may create the database and its tables. */
  readonly url: string;
  /**
   * The same for questions, of a user whose profile cannot write (`infra/clickhouse`). Without it questions go out as the
   * writer with `readonly` set on each: our own cannot write, but nothing stops whoever has the address.
   */
  readonly readerUrl: string | null;
  readonly database: string;
  /** null: the server stands alone. */
  readonly cluster: Cluster | null;
  /** Whoever only asks waits for the database instead, and needs no right to make one. */
  readonly makesDatabase: boolean;
};

/** On a cluster every table that is asked lies on several servers. */
export const CLUSTER_SETTINGS = {
  // Confirmed when the rows are on the shards, and on most replicas of each: the log goes on from there.
  distributed_foreground_insert: 1,
  insert_quorum: 'auto',
  // A replica that is behind must not be asked what the one before it was told.
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  // What `IN (SELECT …)` and joins look up is found on all shards, by each shard that asks (docs/decisions/0017).
  distributed_product_mode: 'allow',
  optimize_skip_unused_shards: 1,
  // INSERT SELECT between tables of different sharding keys must not stay on each shard.
  parallel_distributed_insert_select: 0,
} as const;

/** `readonly` 2 still lets a question bring its own time limit. */
const READ_ONLY = { readonly: '2' } as const;

/**
 * Connects to a ClickHouse server that somebody else runs; `close` leaves it running.
 * Throws `WarehouseUnavailableError` where it does not answer or does not have the database yet, `WarehouseRefusedError`
 * where it does not know the user or does not let him make the database.
 */
export const connectServerWarehouse = async (options: ServerWarehouseOptions): Promise<Warehouse> => {
  const { url, readerUrl, database, cluster } = options;
  await greet(options);
  const settings = cluster ? CLUSTER_SETTINGS : {};
  const writer = createWarehouseClient({ ...toTarget(url), database, settings });
  if (cluster) spreadCommands(writer, cluster, database);
  const reader =
    readerUrl === null
      ? createWarehouseClient({ ...toTarget(url), database, settings: { ...settings, ...READ_ONLY } })
      : createWarehouseClient({ ...toTarget(readerUrl), database, settings });
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

/** Nobody else needs to know that there are several servers: statements become what they mean on a cluster. */
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

/** Makes the database, or asks in it. */
const greet = async (options: ServerWarehouseOptions): Promise<void> => {
  const { url, readerUrl, database, cluster, makesDatabase } = options;
  // A server refuses every question that names a database it does not have, also the one that would make it; `default`
  // would be named by nobody, and another one be taken that is set for the user.
  const client = makesDatabase
    ? createWarehouseClient({ ...toTarget(url), database: 'system' })
    : createWarehouseClient({ ...toTarget(readerUrl ?? url), database });
  if (cluster) spreadCommands(client, cluster, database);
  try {
    await client.command({ query: makesDatabase ? MAKE : 'SELECT 1', query_params: { database } });
  } catch (cause) {
    throw toServerError(cause);
  } finally {
    await client.close();
  }
};

/** Unknown user, wrong or missing password, authentication failed, access denied; anything else may pass. */
const REFUSALS = new Set(['192', '193', '194', '497', '516']);
/** Whether a server refused who asked, or may do later what it did not do now. */
export const toServerError = (cause: unknown): WarehouseRefusedError | WarehouseUnavailableError =>
  isRefusal(cause)
    ? new WarehouseRefusedError(`the ClickHouse server refuses the user: ${cause.message}`, { cause })
    : new WarehouseUnavailableError(
        `the ClickHouse server of CLICKHOUSE_URL cannot be used: ${messageOf(cause)}`,
        { cause },
      );

const isRefusal = (error: unknown): error is ClickHouseError =>
  error instanceof ClickHouseError && REFUSALS.has(error.code);

/** Credentials leave the address, so that no error message can carry them. */
const toTarget = (text: string) => {
  const { url, login } = splitLogin(text);
  return {
    url: url.href,
    credentials: { username: login?.username || 'default', password: login?.password ?? '' },
  };
};
