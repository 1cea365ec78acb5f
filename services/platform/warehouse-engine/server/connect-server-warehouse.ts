import { ClickHouseError } from '@clickhouse/client';
import { createWarehouseClient } from '../create-clients.ts';
import type { Warehouse } from '../warehouse.ts';
import { WarehouseRefusedError, WarehouseUnavailableError } from '../warehouse-errors.ts';

export type ServerWarehouseOptions = {
  /** `http(s)://user:password@host:port`: a user who may create the database and its tables. */
  readonly url: string;
  /**
   * The same for questions, of a user whose profile cannot write (`infra/clickhouse`). Without it questions go out as the
   * writer with `readonly` set on each: our own cannot write, but nothing stops whoever has the address.
   */
  readonly readerUrl: string | null;
  readonly database: string;
  /** Whoever only asks waits for the database instead, and needs no right to make one. */
  readonly makesDatabase: boolean;
};

/** `readonly` 2 still lets a question bring its own time limit. */
const READ_ONLY = { readonly: '2' } as const;

/**
 * Connects to a ClickHouse server that somebody else runs; `close` leaves it running.
 * Throws `WarehouseUnavailableError` where it does not answer or does not have the database yet, `WarehouseRefusedError`
 * where it does not know the user or does not let him make the database.
 */
export const connectServerWarehouse = async (options: ServerWarehouseOptions): Promise<Warehouse> => {
  const { url, readerUrl, database } = options;
  await greet(options);
  const writer = createWarehouseClient({ ...toTarget(url), database });
  const reader =
    readerUrl === null
      ? createWarehouseClient({ ...toTarget(url), database, settings: READ_ONLY })
      : createWarehouseClient({ ...toTarget(readerUrl), database });
  return {
    writer,
    reader,
    database,
    close: async () => {
      await Promise.all([writer.close(), reader.close()]);
    },
  };
};

const MAKE = 'CREATE DATABASE IF NOT EXISTS {database:Identifier} ENGINE = Atomic';

/** Makes the database, or asks in it. */
const greet = async ({ url, readerUrl, database, makesDatabase }: ServerWarehouseOptions): Promise<void> => {
  // A server refuses every question that names a database it does not have, also the one that would make it; `default`
  // would be named by nobody, and another one be taken that is set for the user.
  const client = makesDatabase
    ? createWarehouseClient({ ...toTarget(url), database: 'system' })
    : createWarehouseClient({ ...toTarget(readerUrl ?? url), database });
  try {
    await client.command({ query: makesDatabase ? MAKE : 'SELECT 1', query_params: { database } });
  } catch (cause) {
    throw isRefusal(cause)
      ? new WarehouseRefusedError(`the ClickHouse server refuses the user: ${cause.message}`, { cause })
      : new WarehouseUnavailableError('the ClickHouse server of CLICKHOUSE_URL cannot be used', { cause });
  } finally {
    await client.close();
  }
};

/** Unknown user, wrong or missing password, authentication failed, access denied; anything else may pass. */
const REFUSALS = new Set(['192', '193', '194', '497', '516']);
const isRefusal = (error: unknown): error is ClickHouseError =>
  error instanceof ClickHouseError && REFUSALS.has(error.code);

/** Credentials leave the address, so that no error message can carry them. */
const toTarget = (text: string) => {
  const url = new URL(text);
  const credentials = {
    username: decodeURIComponent(url.username) || 'default',
    password: decodeURIComponent(url.password),
  };
  url.username = '';
  url.password = '';
  return { url: url.href, credentials };
};
