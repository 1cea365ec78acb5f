import Router, { type RouterContext } from '@koa/router';
import type { DefaultContext } from 'koa';
import type { ApiMiddleware, ApiState } from './context.ts';
import { ApiError } from './errors.ts';

/** A method, a path whose segments may be `:names`, and its handlers in order. */
export type Route = readonly [method: 'GET' | 'POST' | 'DELETE', path: string, ...ApiMiddleware[]];

/**
 * Passes a request to its route. `ctx.state.route` is the route's path from then on, and `ctx.params` the
 * values of its `:names`. `/follow/` is not `/follow`. Throws `ApiError`: for an unknown path the error of
 * `refuse`, `not_found` by default; `method_not_allowed` with `Allow` when the path has other methods.
 */
export const createRouter = (
  routes: readonly Route[],
  refuse = () => new ApiError('not_found'),
): ApiMiddleware => {
  const router = new Router<ApiState, DefaultContext>({ strict: true, sensitive: true });
  for (const [method, path, ...handlers] of routes) {
    const remember: ApiMiddleware = (ctx, next) => {
      ctx.state.route = path;
      return next();
    };
    router.register(path, [method], [remember, ...handlers]);
  }
  const answer = router.routes();
  return (ctx) =>
    answer(ctx as RouterContext<ApiState>, () => {
      const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((route) => route.methods));
      if (methods.size === 0) throw refuse();
      throw new ApiError('method_not_allowed', { headers: { Allow: [...methods].sort().join(', ') } });
    });
};
