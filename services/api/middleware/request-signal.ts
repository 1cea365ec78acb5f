import type { ApiMiddleware } from '../context.ts';

/** Gives the request a signal that stops its work when nobody waits for the answer any more. */
export const requestSignal: ApiMiddleware = async (ctx, next) => {
  const controller = new AbortController();
  ctx.state.signal = controller.signal;
  ctx.res.once('close', () => {
    if (!ctx.res.writableFinished) controller.abort();
  });
  await next();
};
