import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  localhostAllowedOrigins,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import inject from 'light-my-request';
import type { CallRoute } from '../../mcp/call-route.ts';
import { prepareMcpServers } from '../../mcp/prepare-mcp-servers.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import type { Step } from '../../sdk/read-steps.ts';
import type { ApiLogger, ApiMiddleware } from '../context.ts';
import type { Operation } from '../contract/operation.ts';
import { ApiError } from '../errors.ts';
import { isAllowedOrigin } from '../middleware/allow-origins.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { carryBy, hearSteps } from '../paid/carrier.ts';
import { createPlaces } from '../places.ts';
import type { Route } from '../router.ts';
import { invalid } from '../validate.ts';

/** Answers a request as the API does. */
export type Dispatch = Parameters<typeof inject>[0];

type McpDependencies = {
  readonly operations: readonly Operation[];
  readonly version: string;
  readonly logger: ApiLogger;
  readonly clock: Clock;
  readonly dispatch: () => Dispatch;
  readonly publicUrl?: URL | null;
  readonly origins?: readonly string[];
};

/** What a tool's route needs from the request to /mcp: the payer, and the address to count it for. */
const PASSED_ON = ['authorization', 'x-api-key', 'x-forwarded-for'] as const;

/** Only the revision of March 2025 has batches. A list of tools is a thousand times as large as its request. */
const BATCH_MAX = 4;
/**
 * Streams of clients that wait for changes of the tools, which never come. Each holds memory for as long as it is
 * open. One address takes no more than a few of the places.
 */
const LISTENING = { all: 128, each: 8 };
/** Requests of one address. Tools are counted again by the routes that they use. */
const REQUESTS = { burst: 120, everyMs: 250 };

/**
 * /mcp: the questions as tools over streamable HTTP. Tools use the API's routes, so keys, payments and limits are
 * the same.
 */
export const mcpRoutes = ({
  operations,
  version,
  logger,
  clock,
  dispatch,
  publicUrl = null,
  origins = [],
}: McpDependencies): readonly Route[] => {
  // Made for the first request: describing the tools takes tens of milliseconds.
  let createServer: ReturnType<typeof prepareMcpServers> | null = null;
  const ownNames = publicUrl === null ? localhostAllowedOrigins() : [publicUrl.hostname];
  // A page of another site must not make a browser call the tools.
  const refuseOtherSites: ApiMiddleware = (ctx, next) => {
    const origin = ctx.get('origin');
    if (!isAllowedOrigin(origins, origin) && !validateOriginHeader(origin, ownNames).ok)
      throw new ApiError('cross_site');
    return next();
  };
  const requests = createRateLimit(REQUESTS, clock);
  const listening = createPlaces(LISTENING);
  const bound: ApiMiddleware = (ctx, next) => {
    const { from } = ctx.state;
    const seconds = from.isLocal ? 0 : requests.take(from.name);
    if (seconds > 0) throw tooMany(seconds);
    return next();
  };
  const answer: ApiMiddleware = async (ctx) => {
    const { body } = ctx.state;
    if (Array.isArray(body) && body.length > BATCH_MAX)
      throw invalid({ path: '', message: `must not be a batch of more than ${BATCH_MAX} messages` });
    if (isListening(body)) {
      const leave = listening.take(ctx.state.from.name);
      if (leave === null) throw tooMany(60);
      ctx.res.once('close', leave);
    }
    const headers = Object.fromEntries(
      PASSED_ON.flatMap((name) => (ctx.get(name) === '' ? [] : [[name, ctx.get(name)]])),
    );
    createServer ??= prepareMcpServers({ operations, version });
    const create = createServer;
    const handler = createMcpHandler(
      () => create({ headers, callRoute: callInProcess(dispatch(), ctx.ip, ctx.host, ctx.res) }),
      { onerror: (err) => logger.info({ err }, 'an MCP request was refused') },
    );
    acceptBoth(ctx);
    ctx.respond = false;
    // Node's types allow an undefined method; the adapter's do not.
    const request = ctx.req as Parameters<ReturnType<typeof toNodeHandler>>[0];
    await toNodeHandler(handler)(request, ctx.res, body);
  };
  // The body is read as on other routes, so a broken or slow one gets the same error. There are no sessions to get
  // or delete.
  return [['POST', '/mcp', refuseOtherSites, bound, jsonBody, answer]];
};

const tooMany = (seconds: number): ApiError =>
  new ApiError('too_many_calls', { headers: { 'Retry-After': String(seconds) } });

/** The protocol's library looks for both names, where `*\/*` means them as well. */
const acceptBoth = (ctx: Parameters<ApiMiddleware>[0]): void => {
  const both = ['application/json', 'text/event-stream'];
  if (both.every((type) => ctx.accepts(type) !== false)) ctx.req.headers.accept = both.join(', ');
};

const isListening = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';

/** There is no socket in between, so limits use the caller's own address. */
const callInProcess =
  (dispatch: Dispatch, remoteAddress: string, host: string, carrier: ServerResponse): CallRoute =>
  async ({ path, body, headers, signal, onStep }) => {
    const response = await inject(asIfReceived(dispatch, carrier, onStep), {
      method: 'POST',
      url: path,
      headers: { ...headers, host, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
      remoteAddress,
      signal,
    });
    return {
      status: response.statusCode,
      header: (name) => {
        const value = response.headers[name];
        return value === undefined ? null : String(value);
      },
      body: response.json<unknown>(),
    };
  };

/**
 * Injected requests lack this view of their headers, which the routes read. They also end before the client has
 * the answer, so a payment counts as handed over only when the response to /mcp ends.
 */
const asIfReceived =
  (dispatch: Dispatch, carrier: ServerResponse, onStep?: (step: Step) => void): Dispatch =>
  (request, response) => {
    const distinct = Object.entries(request.headers).map(([name, value]) => [name, [value].flat()]);
    Object.defineProperty(request, 'headersDistinct', { value: Object.fromEntries(distinct) });
    carryBy(request as IncomingMessage, carrier);
    if (onStep) hearSteps(request as IncomingMessage, (step) => onStep(step as Step));
    dispatch(request, response);
  };
