import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';

/**
 * Refuses requests from pages of other sites. Browsers state the origin of a request, and a page cannot change
 * that. Other clients state none and have no cookies to misuse. Where the operator told no address (null), the
 * origin's host must be the one that was asked.
 */
export const sameOrigin =
  (origin: URL | null): ApiMiddleware =>
  async (ctx, next) => {
    const from = ctx.get('origin');
    const site = ctx.get('sec-fetch-site');
    const isFromHere = origin === null ? hostOf(from) === ctx.host : from === origin.origin;
    const isOurs = (from === '' || isFromHere) && (site === '' || site === 'same-origin' || site === 'none');
    if (!isOurs) throw new ApiError('cross_site');
    await next();
  };

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);
