import type { ClickHouseClient } from '@clickhouse/client';
import type { Warehouse } from '../warehouse.ts';

export type StartedWarehouse = {
  readonly warehouse: Warehouse;
  /** Base address of the HTTP interface, for what the client does not do by itself. */
  readonly url: string;
  readonly writerHeaders: Readonly<Record<string, string>>;
  readonly readerHeaders: Readonly<Record<string, string>>;
  readonly analystHeaders: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

/** What the parts of the suite share: the engine under test, once it has started, and ways to ask it. */
export type Suite = {
  readonly started: StartedWarehouse;
  readonly writer: ClickHouseClient;
  readonly reader: ClickHouseClient;
  /** Rows of a reader's question. */
  rows(query: string, params?: Record<string, unknown>): Promise<unknown[][]>;
  count(table: string): Promise<number>;
  /** Makes a table without an order that knows batches by their token. */
  table(name: string, columns: string): Promise<void>;
  post(headers: Readonly<Record<string, string>>, query: string, body: string): Promise<Response>;
};

export function createSuite(started: StartedWarehouse): Suite {
  const { writer, reader, database } = started.warehouse;
  const rows: Suite['rows'] = async (query, query_params = {}) => {
    const answer = await reader.query({ query, query_params, format: 'JSONCompactEachRow' });
    return answer.json<unknown[]>();
  };
  return {
    started,
    writer,
    reader,
    rows,
    count: async (table) => Number((await rows(`SELECT count() FROM ${table}`))[0]?.[0]),
    table: async (name, columns) => {
      await writer.command({
        query: `CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY tuple()
          SETTINGS non_replicated_deduplication_window = 1000`,
      });
    },
    post: (headers, query, body) =>
      fetch(`${started.url}/?${new URLSearchParams({ database, query })}`, { method: 'POST', headers, body }),
  };
}
