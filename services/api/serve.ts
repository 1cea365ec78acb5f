import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { createAcceptsHost } from './accepts-host.ts';
import { answerBrokenRequest, refuseRequest } from './answer-broken-request.ts';
import { createConnectionBound } from './bound-connections.ts';
import { createLineBound, LINE_LIMITS, type LineLimits } from './bound-line.ts';
import type { Proxies } from './caller-address.ts';
import type { ApiState } from './context.ts';

export type ServeOptions = {
  readonly host: string;
  readonly port: number;
  /** Time for a whole request to arrive (default 30 s). */
  readonly requestTimeoutMs?: number;
  readonly lineLimits?: Partial<LineLimits>;
  /** As `createReadCallerAddress` takes it; then one address has a limited number of connections. */
  readonly proxies?: Proxies;
  /** Host names that requests may use, besides this machine's; null: any. */
  readonly hostNames?: readonly string[] | null;
};

export type Listening = {
  /** For example http://127.0.0.1:8402 */
  readonly url: string;
  /** From now on another application answers. */
  readonly answerWith: (api: Koa<ApiState>) => void;
  /**
   * Takes no new connections, waits for running answers, and after `graceMs` closes the rest, which aborts their
   * work. Safe to call more than once.
   */
  readonly close: (request: { graceMs: number }) => Promise<void>;
};

/** A client that sends its head or body slower than this only holds a connection. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Far below the limit of open files. */
const CONNECTIONS_MAX = 8_192;

/** The hosts that a request names in its head and its URL; null if it names none or several. */
const hostsOf = ({ httpVersion, rawHeaders, url = '' }: IncomingMessage): readonly string[] | null => {
  const named = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
  if (named.length > 1 || (named.length === 0 && httpVersion === '1.1')) return null;
  const [, authority] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  return authority === undefined ? named : [...named, authority];
};

/** Listens on a port; port 0 takes a free one. Rejects if the port is taken. */
export const serve = async (
  api: Koa<ApiState>,
  {
    host,
    port,
    requestTimeoutMs = REQUEST_TIMEOUT_MS,
    lineLimits,
    proxies = null,
    hostNames = [],
  }: ServeOptions,
): Promise<Listening> => {
  let answer = api.callback();
  const limits = { ...LINE_LIMITS, ...lineLimits };
  const { inTurn, endStill } = createLineBound(limits);
  const acceptsHost = hostNames === null ? () => true : createAcceptsHost([host, ...hostNames]);
  const underWay = new WeakMap<Duplex, ServerResponse>();
  // Our own check below refuses wrong hosts with our error.
  const server = createServer(
    { requireHostHeader: false, connectionsCheckingInterval: requestTimeoutMs / 6 },
    (request, response) => {
      inTurn(request, response, () => {
        underWay.set(request.socket, response);
        const hosts = hostsOf(request);
        if (hosts === null) refuseRequest(response, 'invalid_request');
        else if (!hosts.every(acceptsHost)) refuseRequest(response, 'misdirected_request');
        else void answer(request, response);
      });
    },
  );
  server.on('connection', createConnectionBound(proxies));
  server.maxConnections = CONNECTIONS_MAX;
  server.headersTimeout = Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs);
  server.requestTimeout = requestTimeoutMs;
  // A streamed answer counts as handed over only when its client reads.
  server.timeout = limits.readTimeoutMs;
  server.on('timeout', endStill);
  server.on('checkExpectation', (_request, response) => refuseRequest(response, 'expectation_failed'));
  server.on('clientError', (error, socket) => {
    const response = underWay.get(socket);
    answerBrokenRequest(error, socket, response === undefined || response.writableEnded ? null : response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  let closed: Promise<void> | null = null;
  server.on('request', (_request, response) => {
    // A connection whose answer ends during the close must not stay open.
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
    // `close` leaves idle keep-alive connections open, which would delay it for ever.
    server.closeIdleConnections();
  });
