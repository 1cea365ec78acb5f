import type { ApiMiddleware } from './context.ts';
import { ApiError } from './errors.ts';

/** A method, an address whose segments may be `:names`, and what answers it, one after the other. */
export type Route = readonly [method: 'GET' | 'POST' | 'DELETE', path: string, ...ApiMiddleware[]];

type Address = {
  readonly path: string;
  /** null where there are no names in it. */
  readonly shape: RegExp | null;
  readonly methods: Map<string, ApiMiddleware>;
};

/**
 * Hands a request to its route, which is in `ctx.state` from there on, with what its `:names` stand for. Paths are compared as
 * they are written. Throws `ApiError`: of an address that has no route what `refuse` makes, `not_found` unless given;
 * `method_not_allowed` with `Allow` for one that takes other methods.
 */
export const createRouter = (
  routes: readonly Route[],
  refuse = () => new ApiError('not_found'),
): ApiMiddleware => {
  const addresses = new Map<string, Address>();
  for (const [method, path, ...handlers] of routes) {
    const address = addresses.get(path) ?? { path, shape: toShape(path), methods: new Map() };
    addresses.set(path, address);
    const answer = chain(handlers);
    address.methods.set(method, answer);
    if (method === 'GET') address.methods.set('HEAD', answer);
  }
  const withNames = [...addresses.values()].filter(({ shape }) => shape !== null);

  return (ctx, next) => {
    const { path, method } = ctx;
    const address = addresses.get(path) ?? withNames.find(({ shape }) => shape?.test(path));
    if (address === undefined) throw refuse();
    const answer = address.methods.get(method);
    if (answer === undefined)
      throw new ApiError('method_not_allowed', {
        headers: { Allow: [...address.methods.keys()].sort().join(', ') },
      });
    ctx.state.route = address.path;
    ctx.state.named = address.shape?.exec(path)?.groups ?? NOTHING;
    return answer(ctx, next);
  };
};

const NOTHING = {};

const toShape = (path: string): RegExp | null =>
  path.includes(':') ? new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`) : null;

const chain = (handlers: readonly ApiMiddleware[]): ApiMiddleware =>
  handlers.reduceRight((rest, handler) => (ctx, next) => handler(ctx, () => rest(ctx, next)));
