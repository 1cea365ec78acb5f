import type { ApiMiddleware } from '../context.ts';

/** Forbids caching: answers are paid for, private, or true only now. A browser must not guess what they are. */
export const noStore: ApiMiddleware = (ctx, next) => {
  ctx.res.setHeader('Cache-Control', 'no-store');
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
  return next();
};
