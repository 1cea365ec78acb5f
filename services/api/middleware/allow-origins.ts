import type { ApiMiddleware } from '../context.ts';

/** Headers of answers that pages of other origins may read. */
const EXPOSED = [
  ...['x-request-id', 'x-service-credits', 'PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'Retry-After'],
  ...['Location', 'Allow', 'ETag', 'Content-Disposition', 'WWW-Authenticate', 'Mcp-Session-Id'],
].join(', ');
const METHODS = 'GET, POST, DELETE';
const PREFLIGHT_SECONDS = '600';
/** Its sessions are cookies, which pages of other sites must not use. */
const ACCOUNT_AREA = /^\/account(\/|$)/;

/** Any origin. */
export const EVERYBODY = '*';

export const isAllowedOrigin = (origins: readonly string[], origin: string): boolean =>
  origins.includes(EVERYBODY) || origins.includes(origin);

/**
 * Lets pages of these origins call the API from a browser (CORS), without cookies: they send a key or pay. With no
 * origins nothing is said, and browsers keep answers from other sites.
 */
export const allowOrigins =
  (origins: readonly string[]): ApiMiddleware =>
  (ctx, next) => {
    const origin = ctx.get('origin');
    if (origins.length > 0) ctx.vary('Origin');
    if (origin === '' || ACCOUNT_AREA.test(ctx.path) || !isAllowedOrigin(origins, origin)) return next();
    ctx.set('Access-Control-Allow-Origin', origins.includes(EVERYBODY) ? EVERYBODY : origin);
    ctx.set('Access-Control-Expose-Headers', EXPOSED);
    if (ctx.method !== 'OPTIONS' || ctx.get('access-control-request-method') === '') return next();
    ctx.set('Access-Control-Allow-Methods', METHODS);
    ctx.set('Access-Control-Allow-Headers', ctx.get('access-control-request-headers'));
    ctx.set('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    ctx.status = 204;
    return undefined;
  };
