import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { cutLongLists } from './cut-long-lists.ts';

export type Credentials = { readonly username: string; readonly password: string };

export type ClientRequest = {
  readonly url: string;
  readonly database: string;
  readonly credentials: Credentials;
  /** Sent with every query. */
  readonly settings?: Readonly<Record<string, string | number>>;
};

const REQUEST_TIMEOUT_MS = 300_000;
const CONNECTIONS_MAX = 32;

/** The only place that creates a client, so that both engines are used alike. */
export function createWarehouseClient(request: ClientRequest): ClickHouseClient {
  const client = createClient({
    url: request.url,
    database: request.database,
    username: request.credentials.username,
    password: request.credentials.password,
    request_timeout: REQUEST_TIMEOUT_MS,
    max_open_connections: CONNECTIONS_MAX,
    // A list of a thousand wallets does not fit into a URL.
    use_multipart_params_auto: true,
    keep_alive: { enabled: true, idle_socket_ttl: 20_000 },
    // The caller gets the error itself. The client would also print it on stdout.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1, ...request.settings },
  });
  const query = client.query.bind(client);
  client.query = (asked) => query(cutLongLists(asked));
  return client;
}
