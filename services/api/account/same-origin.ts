import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';

/**
 * Refuses requests from pages of other sites. Browsers state the origin of a request, and a page cannot change
 * that. Other clients state none and have no cookies to misuse.
 */
export const sameOrigin =
  (origin: URL): ApiMiddleware =>
  async (ctx, next) => {
    const from = ctx.get('origin');
    const site = ctx.get('sec-fetch-site');
    const isOurs =
      (from === '' || from === origin.origin) && (site === '' || site === 'same-origin' || site === 'none');
    if (!isOurs) throw new ApiError('cross_site');
    await next();
  };
