import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Credentials } from '../create-clients.ts';
import { authenticate } from './authenticate.ts';
import type { Role } from './endpoint.ts';
import type { EngineAnswer } from './engine.ts';
import { EngineException } from './engine-exception.ts';
import type { EngineLimits } from './engine-options.ts';
import { BODY_HEADER, readBodyName } from './incoming.ts';
import type { QueryRequest, QueryService } from './query-service.ts';
import { openBody, readAll, readForm } from './read-request.ts';
import type { ReaderWalls } from './reader-walls.ts';
import { splitParameters } from './settings.ts';
import { findInsertData } from './statement.ts';
import { wantsGzip, writeError, writeStream, writeWhole } from './write-result.ts';

export type HttpInterfaceOptions = {
  readonly database: string;
  readonly credentials: Readonly<Record<Role, Credentials>>;
  readonly limits: EngineLimits;
  readonly service: QueryService;
  readonly walls: ReaderWalls;
};

/** Names of queries that are told in a header of their answer. */
const IN_HEADER = /^[\x20-\x7e]+$/;

/** ClickHouse's HTTP interface, as far as its clients use it. */
export function createHttpInterface(options: HttpInterfaceOptions): Server {
  const server = createServer(
    { maxHeaderSize: 1024 * 1024, keepAliveTimeout: 30_000 },
    (request, response) => {
      // What cannot even be told in an answer ends its connection, and not the engine.
      answer(options, request, response).catch(() => response.destroy());
    },
  );
  server.requestTimeout = 0;
  return server;
}

async function answer(
  options: HttpInterfaceOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let queryId: string = randomUUID();
  const gone = new AbortController();
  // A connection that breaks while an answer is written is no reason to end.
  response.on('error', () => {});
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the client went away'));
  });
  try {
    const url = URL.parse(request.url ?? '/', 'http://engine');
    if (url === null) throw new EngineException(36, 'BAD_ARGUMENTS', 'The address cannot be read');
    const named = url.searchParams.get('query_id') ?? '';
    if (IN_HEADER.test(named)) queryId = named;
    if (url.pathname === '/ping' || url.pathname === '/replicas_status') {
      response.writeHead(200, { 'Content-Type': 'text/plain; charset=UTF-8' });
      response.end('Ok.\n');
      return;
    }
    if (url.pathname !== '/') throw new EngineException(48, 'NOT_IMPLEMENTED', `There is no ${url.pathname}`);
    const role = authenticate(request, url.searchParams, options.credentials);
    await answerQuery({ options, request, response, url, queryId, role, signal: gone.signal });
  } catch (error) {
    // What was not read of the body would otherwise be taken for the next request.
    if (!request.complete) response.setHeader('Connection', 'close');
    writeError(response, error, queryId);
    request.resume();
  }
}

type Exchange = {
  readonly options: HttpInterfaceOptions;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly queryId: string;
  readonly role: Role;
  readonly signal: AbortSignal;
};

async function answerQuery(exchange: Exchange): Promise<void> {
  const { options, request, url, role } = exchange;
  const { limits } = options;
  const search = url.searchParams;
  const inUrl = search.get('query') ?? '';
  const contentType = request.headers['content-type'] ?? '';
  let parameters: [string, string][] = [...search];
  let text = inUrl;
  let data: Readable | null = null;
  if (contentType.startsWith('multipart/form-data')) {
    const form = await readForm(await readAll(openBody(request, limits.queryBytesMax)), contentType);
    text = joined(inUrl, form.get('query') ?? '');
    parameters = [...parameters, ...[...form].filter(([name]) => name !== 'query')];
  } else if (findInsertData(inUrl) !== null) {
    data = openBody(request, limits.insertBytesMax);
  } else if (request.method === 'POST') {
    const body = await readAll(
      openBody(request, role === 'writer' ? limits.textBytesMax : limits.queryBytesMax),
    );
    const cut = findInsertData(inUrl === '' ? body.toString('utf8', 0, 65_536) : inUrl);
    if (inUrl === '' && cut !== null) {
      const head = body.toString('utf8', 0, 65_536).slice(0, cut);
      text = head;
      data = Readable.from([dataAfter(body, Buffer.byteLength(head))]);
    } else text = joined(inUrl, body.toString('utf8'));
  }
  const dataInUrl = findInsertData(inUrl);
  if (dataInUrl !== null) {
    text = inUrl.slice(0, dataInUrl);
    const rest = inUrl.slice(dataInUrl);
    if (rest.trim() !== '') data = Readable.from(concatenated(Buffer.from(rest), data));
  }
  await run(exchange, text, parameters, data);
}

function joined(first: string, second: string): string {
  return first !== '' && second !== '' ? `${first}\n${second}` : first + second;
}

/** The line break after `FORMAT X` belongs to the statement, not to the data. */
function dataAfter(body: Buffer, headBytes: number): Buffer {
  const rest = body.subarray(headBytes);
  const lineBreak = /^[ \t]*\r?\n/.exec(rest.toString('latin1', 0, 64))?.[0].length ?? 0;
  return rest.subarray(lineBreak || (rest[0] === 0x20 ? 1 : 0));
}

async function* concatenated(first: Buffer, second: Readable | null): AsyncGenerator<Buffer> {
  yield first;
  if (second !== null) for await (const chunk of second) yield chunk as Buffer;
}

async function run(
  exchange: Exchange,
  text: string,
  parameters: [string, string][],
  data: Readable | null,
): Promise<void> {
  const { options, response, url, queryId, role, signal } = exchange;
  const { service } = options;
  const statement = await service.read(text);
  const database = url.searchParams.get('database') ?? options.database;
  if (role !== 'writer') await options.walls.check(statement, database);
  const { settings, params } = splitParameters(parameters);
  const defaultFormat = url.searchParams.get('default_format') ?? 'TabSeparated';
  const query: QueryRequest = {
    role,
    database,
    statement,
    text: role === 'writer' ? text : statement.canonical,
    settings,
    params,
    defaultFormat,
    signal,
  };
  const format = statement.format ?? defaultFormat;
  const gzip = wantsGzip(exchange.request, url.searchParams);
  if (statement.insert !== null) {
    if (role !== 'writer')
      throw new EngineException(164, 'READONLY', 'Cannot execute query in readonly mode');
    const written = readBodyName(exchange.request.headers[BODY_HEADER]);
    const answer =
      written === null
        ? await service.insert(query, statement.insert, data ?? Readable.from([]))
        : await service.insertWritten(query, statement.insert, written);
    writeWhole(response, { queryId, format, summary: writeSummary(answer), gzip: false }, Buffer.alloc(0));
    return;
  }
  await service.query(query, async (result) => {
    if (result.type === 'stream') {
      const head = { queryId, format, summary: {}, gzip };
      const stalledMs = options.limits.stalledSecondsMax * 1_000;
      await writeStream(response, head, result.chunks, { signal, stalledMs });
      return;
    }
    const summary = statement.verb === 'INSERT' ? writeSummary(result.answer) : readSummary(result.answer);
    writeWhole(response, { queryId, format, summary, gzip }, result.answer.bytes);
  });
}

function readSummary(answer: EngineAnswer): Record<string, string> {
  return {
    read_rows: String(answer.rowsRead),
    read_bytes: String(answer.bytesRead),
    written_rows: '0',
    written_bytes: '0',
    total_rows_to_read: '0',
    result_rows: '0',
    result_bytes: String(answer.bytes.length),
    elapsed_ns: String(Math.round(answer.elapsedSeconds * 1e9)),
  };
}

/** The engine does not count what its views wrote: these are the rows that came in. */
function writeSummary(answer: EngineAnswer): Record<string, string> {
  return {
    ...readSummary(answer),
    written_rows: String(answer.rowsRead),
    written_bytes: String(answer.bytesRead),
  };
}
