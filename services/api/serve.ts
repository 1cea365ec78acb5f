import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';
import type { ApiState } from './context.ts';
import { ERRORS } from './errors.ts';

export type ServeOptions = { readonly host: string; readonly port: number };

export type Listening = {
  /** For example http://127.0.0.1:8402 */
  readonly url: string;
  /** Has what comes from now on answered by another application. */
  readonly answerWith: (api: Koa<ApiState>) => void;
  /**
   * Takes no new connections, waits for the answers under way, and cuts what is still open after `graceMs`, which aborts
   * its work. Safe to call more than once.
   */
  readonly close: (request: { graceMs: number }) => Promise<void>;
};

/** A client that sends its head or its body slower than this is holding a connection, not making a call. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Puts the application on a port; port 0 takes a free one. Rejects when the port is taken. */
export const serve = async (api: Koa<ApiState>, { host, port }: ServeOptions): Promise<Listening> => {
  let answer = api.callback();
  const server = createServer((request, response) => void answer(request, response));
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.on('clientError', answerBrokenRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  let closed: Promise<void> | null = null;
  server.on('request', (_request, response) => {
    // A connection whose answer ends during the close is kept alive by nobody's wish.
    response.once('close', () => {
      if (closed !== null) setImmediate(() => server.closeIdleConnections());
    });
  });
  return {
    url: toUrl(server),
    answerWith: (next) => {
      answer = next.callback();
    },
    close: ({ graceMs }) => {
      closed ??= closeServer(server, graceMs);
      return closed;
    },
  };
};

const toUrl = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

const closeServer = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    // `close` leaves idle keep-alive connections open, which would hold it up for ever.
    server.closeIdleConnections();
  });

/**
 * What is not even HTTP never reaches the application: it gets the same shape of error, then the door. A request before it on
 * the line cannot be answered any more, and is stopped.
 */
const answerBrokenRequest = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({
    error: ERRORS.invalid_request.sentence,
    code: 'invalid_request',
    request_id: null,
  });
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  // Who keeps its half open would keep that work going.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
};
