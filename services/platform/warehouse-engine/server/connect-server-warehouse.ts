import { createWarehouseClient } from '../create-clients.ts';
import type { Warehouse } from '../warehouse.ts';
import { WarehouseUnavailableError } from '../warehouse-errors.ts';

export type ServerWarehouseOptions = {
  /** `http(s)://user:password@host:port`: a user who may create the database and its tables. */
  readonly url: string;
  /**
   * The same for questions, of a user whose profile cannot write (`infra/clickhouse`). Without it questions go out as the
   * writer with `readonly` set on each: our own cannot write, but nothing stops whoever has the address.
   */
  readonly readerUrl?: string;
  readonly database: string;
};

/** `readonly` 2 still lets a question bring its own time limit. */
const READ_ONLY = { readonly: '2' } as const;

/**
 * Connects to a ClickHouse server that somebody else runs; `close` leaves it running.
 * Throws `WarehouseUnavailableError` where it does not answer, does not know the user, or lets it make no database.
 */
export const connectServerWarehouse = async (options: ServerWarehouseOptions): Promise<Warehouse> => {
  const { url, readerUrl, database } = options;
  await makeDatabase(options);
  const writer = createWarehouseClient({ ...toTarget(url), database });
  const reader =
    readerUrl === undefined
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

/** A server refuses every question that names a database it does not have, also the one that would make it. */
const makeDatabase = async ({ url, database }: ServerWarehouseOptions): Promise<void> => {
  const client = createWarehouseClient({ ...toTarget(url), database: 'default' });
  try {
    await client.command({
      query: 'CREATE DATABASE IF NOT EXISTS {database:Identifier} ENGINE = Atomic',
      query_params: { database },
    });
  } catch (cause) {
    throw new WarehouseUnavailableError('the ClickHouse server of CLICKHOUSE_URL cannot be used', { cause });
  } finally {
    await client.close();
  }
};

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
