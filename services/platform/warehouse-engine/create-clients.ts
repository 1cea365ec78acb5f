import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';

export type Credentials = { readonly username: string; readonly password: string };

export type ClientRequest = {
  readonly url: string;
  readonly database: string;
  readonly credentials: Credentials;
  readonly requestTimeoutMs?: number;
  readonly maxOpenConnections?: number;
  /** Sent with every question. */
  readonly settings?: Readonly<Record<string, string | number>>;
};

/** The only place that makes a client, so that both engines are spoken to alike. */
export function createWarehouseClient(request: ClientRequest): ClickHouseClient {
  return createClient({
    url: request.url,
    database: request.database,
    username: request.credentials.username,
    password: request.credentials.password,
    request_timeout: request.requestTimeoutMs ?? 300_000,
    max_open_connections: request.maxOpenConnections ?? 32,
    // A frontier of a thousand wallets does not fit into a URL.
    use_multipart_params_auto: true,
    keep_alive: { enabled: true, idle_socket_ttl: 20_000 },
    // Whoever asks gets the error itself; the client would print it on stdout as well.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1, ...request.settings },
  });
}
