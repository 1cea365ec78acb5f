import type { ApiMiddleware } from '../context.ts';

/** Forbids caching: answers are paid for, private, or true only now. */
export const noStore: ApiMiddleware = (ctx, next) => {
  ctx.res.setHeader('Cache-Control', 'no-store');
  return next();
};
