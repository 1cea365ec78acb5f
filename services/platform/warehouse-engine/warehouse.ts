import type { ClickHouseClient } from '@clickhouse/client';

/** What the code asks and fills the tables through; named here so that no other room names the vendor. */
export type WarehouseClient = ClickHouseClient;

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
  /** Ends what was started for this warehouse; waits for running inserts. */
  close(): Promise<void>;
};
