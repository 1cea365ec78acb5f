import type { ClickHouseClient } from '@clickhouse/client';

/** The client of the tables, named here so that no other module names the vendor. */
export type WarehouseClient = ClickHouseClient;

/** Rows that are written already as the engine reads them. */
export type BodyInsert = {
  readonly table: string;
  /** As ClickHouse calls it. */
  readonly format: string;
  readonly body: readonly Buffer[];
  readonly settings: Readonly<Record<string, string | number>>;
};

/**
 * The Warehouse port. Whatever stands behind it (chDB in a child process of ours, a ClickHouse server, a cluster), the
 * code talks to it through the ordinary `@clickhouse/client` over HTTP, with the same SQL.
 */
export type Warehouse = {
  /** For the sink, migrations and maintenance. */
  readonly writer: WarehouseClient;
  /** For questions: cannot write, read files, kill or leave its database. */
  readonly reader: WarehouseClient;
  readonly database: string;
  /** Inserts a large body as the writer, without copying more of it than this engine needs. */
  insertBody(insert: BodyInsert): Promise<void>;
  /** Ends what was started for this warehouse; waits for running inserts. */
  close(): Promise<void>;
};
