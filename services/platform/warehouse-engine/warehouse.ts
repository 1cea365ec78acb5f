import type { ClickHouseClient } from '@clickhouse/client';

/** The client of the tables, exported from here so that no other module names the vendor. */
export type WarehouseClient = ClickHouseClient;

/** Rows that are already in the engine's input format. */
export type BodyInsert = {
  readonly table: string;
  /** ClickHouse's name for it. */
  readonly format: string;
  readonly body: readonly Buffer[];
  readonly settings: Readonly<Record<string, string | number>>;
};

/**
 * The Warehouse port. Behind it is chDB in a child process, a ClickHouse server, or a cluster. The code
 * always uses the ordinary `@clickhouse/client` over HTTP, with the same SQL.
 */
export type Warehouse = {
  /** For the sink, migrations and maintenance. */
  readonly writer: WarehouseClient;
  /** For queries: cannot write, read files, kill queries or leave its database. */
  readonly reader: WarehouseClient;
  readonly database: string;
  /** Inserts a large body as the writer, with as few copies as this engine needs. */
  insertBody(insert: BodyInsert): Promise<void>;
  /** When an engine that this process runs last ended without being asked to; null: never. */
  lastEndUnixMs?(): number | null;
  /** Ends what was started for this warehouse, after running inserts. */
  close(): Promise<void>;
};
