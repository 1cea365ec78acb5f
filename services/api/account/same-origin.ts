import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';

/**
 * Refuses what a page of another site has a browser send: browsers say where a request comes from, and a page cannot make
 * them say something else. Other clients say nothing, and have no cookies that somebody could misuse.
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
