import type { ApiMiddleware } from '../context.ts';

/** Gives the request a signal that stops its work when the client leaves. */
export const requestSignal: ApiMiddleware = (ctx, next) => {
  const controller = new AbortController();
  ctx.state.signal = controller.signal;
  const stop = (): void => {
    if (!ctx.res.writableFinished) controller.abort();
  };
  ctx.res.on('close', stop);
  ctx.state.keepWorking = () => void ctx.res.off('close', stop);
  return next();
};
