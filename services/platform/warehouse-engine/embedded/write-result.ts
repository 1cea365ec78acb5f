import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { httpStatusOf, toEngineException } from './engine-exception.ts';

export type ResultHead = {
  readonly queryId: string;
  readonly format: string;
  readonly summary: Readonly<Record<string, string>>;
  readonly gzip: boolean;
};

const CONTENT_TYPES: readonly [RegExp, string][] = [
  [/^JSON.*EachRow/i, 'application/x-ndjson; charset=UTF-8'],
  [/^JSON|^XML/i, 'application/json; charset=UTF-8'],
  [/^CSV/i, 'text/csv; charset=UTF-8; header=absent'],
  [/^(TSV|TabSeparated)/i, 'text/tab-separated-values; charset=UTF-8'],
  [/^(RowBinary|Native|Arrow|Parquet|ORC|Avro|MsgPack|Protobuf|RawBLOB)/i, 'application/octet-stream'],
];

export function wantsGzip(request: IncomingMessage, search: URLSearchParams): boolean {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  return search.get('enable_http_compression') === '1' && /\bgzip\b/.test(accepted);
}

/** The tag that marks an error in the middle of a result; random, so that no data can look like it. */
function begin(response: ServerResponse, head: ResultHead): { out: Writable; exceptionTag: string } {
  const exceptionTag = randomBytes(8).toString('hex');
  const contentType = CONTENT_TYPES.find(([pattern]) => pattern.test(head.format))?.[1];
  response.writeHead(200, {
    'Content-Type': contentType ?? 'text/plain; charset=UTF-8',
    'X-ClickHouse-Query-Id': head.queryId,
    'X-ClickHouse-Format': head.format,
    'X-ClickHouse-Timezone': 'UTC',
    'X-ClickHouse-Summary': JSON.stringify(head.summary),
    'X-ClickHouse-Exception-Tag': exceptionTag,
    ...(head.gzip ? { 'Content-Encoding': 'gzip' } : {}),
  });
  if (!head.gzip) return { out: response, exceptionTag };
  const gzip = createGzip({ level: 1 });
  gzip.on('error', () => response.destroy());
  gzip.pipe(response);
  return { out: gzip, exceptionTag };
}

export function writeWhole(response: ServerResponse, head: ResultHead, bytes: Buffer): void {
  const { out } = begin(response, head);
  out.end(bytes);
}

/**
 * Waits for the reader of the response, so that a slow one holds one chunk and not the whole result. One that takes nothing for
 * `stalledMs` is left.
 */
export async function writeStream(
  response: ServerResponse,
  head: ResultHead,
  chunks: AsyncGenerator<Buffer>,
  { signal, stalledMs }: { readonly signal: AbortSignal; readonly stalledMs: number },
): Promise<void> {
  // The first chunk before the head: most errors come before it and still get their status.
  const first = await chunks.next();
  const { out, exceptionTag } = begin(response, head);
  const drained = async (): Promise<void> => {
    const stalled = setTimeout(() => response.destroy(), stalledMs);
    try {
      // That the response ended is what the signal says.
      await once(out, 'drain', { signal });
    } finally {
      clearTimeout(stalled);
    }
  };
  try {
    for (let next = first; !next.done; next = await chunks.next()) {
      signal.throwIfAborted();
      if (!out.write(next.value)) await drained();
    }
    out.end();
  } catch (error) {
    if (!signal.aborted) out.end(exceptionBlock(error, exceptionTag));
    else response.destroy();
  } finally {
    await chunks.return(undefined);
  }
}

/** The form ClickHouse gives an error after the first rows, since the status is sent already. */
function exceptionBlock(error: unknown, tag: string): string {
  const body = toEngineException(error).toBody();
  const length = Buffer.byteLength(body);
  return `\r\n__exception__\r\n${tag}\r\n${body}${length} ${tag}\r\n__exception__\r\n`;
}

export function writeError(response: ServerResponse, error: unknown, queryId: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const exception = toEngineException(error);
  const status = httpStatusOf(exception);
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Query-Id': queryId,
    'X-ClickHouse-Exception-Code': String(exception.code),
    ...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="ClickHouse server HTTP API"' } : {}),
  });
  response.end(exception.toBody());
}
