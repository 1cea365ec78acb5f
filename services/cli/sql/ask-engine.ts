import { text } from 'node:stream/consumers';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { splitLogin } from '../../platform/login.ts';
import { withReadableTypes } from './readable-types.ts';

export const FORMATS = {
  table: 'PrettyCompactNoEscapesMonoBlock',
  csv: 'CSVWithNames',
  json: 'JSONEachRow',
  parquet: 'Parquet',
} as const;
export type Format = keyof typeof FORMATS;

/** The engine refused a question or broke off. */
export class SqlRefusedError extends Error {
  readonly code = 'sql_refused';
  constructor(message: string) {
    super(message);
    this.name = 'SqlRefusedError';
  }
}

/**
 * Sends one statement to `http://user:password@host:port/?database=…`; resolves with the answer's bytes in that
 * format, unless the statement names another. Aborting also ends it on the engine. Throws `SqlRefusedError`.
 */
export const askEngine = async (
  address: string,
  { sql, format, signal }: Asked,
): Promise<WebStream<Uint8Array>> => {
  if (format !== 'parquet') return send(address, { sql, format, signal });
  const describe = async (question: string) => {
    const lines = await text(await send(address, { sql: question, format: 'json', signal }));
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { name: string; type: string });
  };
  return send(address, { sql: await withReadableTypes(sql, describe), format, signal });
};

type Asked = { readonly sql: string; readonly format: Format; readonly signal: AbortSignal };

const send = async (address: string, { sql, format, signal }: Asked): Promise<WebStream<Uint8Array>> => {
  const { url, login } = splitLogin(address);
  url.searchParams.set('default_format', FORMATS[format]);
  url.searchParams.set('cancel_http_readonly_queries_on_client_close', '1');
  url.searchParams.set('output_format_pretty_row_numbers', '0');
  const headers = {
    'x-clickhouse-user': login?.username ?? '',
    'x-clickhouse-key': login?.password ?? '',
  };
  const answer = await fetch(url, { method: 'POST', headers, body: sql, signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new SqlRefusedError(`no engine answers at ${url.origin}`);
  });
  if (!answer.ok) throw new SqlRefusedError(withoutVersion(await answer.text()));
  if (!answer.body) throw new SqlRefusedError('the engine answered nothing');
  return answer.body as WebStream<Uint8Array>;
};

const withoutVersion = (message: string): string => message.trim().replace(/ \(version [^)]*\)$/, '');
