import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';

type Layer = { readonly methods: readonly string[] };

/** 404 for an unknown address, 405 with `Allow` for an address that takes other methods. Stands behind the routes. */
export const rejectUnmatched: ApiMiddleware = (ctx) => {
  const layers: readonly Layer[] = Array.isArray(ctx.matched) ? ctx.matched : [];
  const methods = new Set(layers.flatMap((layer) => layer.methods));
  if (methods.size === 0) throw new ApiError('not_found');
  throw new ApiError('method_not_allowed', { headers: { Allow: [...methods].sort().join(', ') } });
};
