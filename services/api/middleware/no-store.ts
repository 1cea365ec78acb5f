import type { ApiMiddleware } from '../context.ts';

/** Nothing is for a cache: an answer is paid for by one, or an account's own, or true at this moment only. */
export const noStore: ApiMiddleware = (ctx, next) => {
  ctx.res.setHeader('Cache-Control', 'no-store');
  return next();
};
