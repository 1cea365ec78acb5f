import type { ApiLogger, ApiMetrics, ApiMiddleware } from '../context.ts';

/**
 * Writes one log line and one measurement per request when its answer is sent. Bodies are not logged, because they
 * name the subjects of investigations.
 */
export const accessLog =
  ({ logger, metrics }: { logger: ApiLogger; metrics: ApiMetrics }): ApiMiddleware =>
  (ctx, next) => {
    const startedMs = performance.now();
    ctx.res.on('close', () => {
      const durationMs = performance.now() - startedMs;
      const status = ctx.res.writableFinished ? ctx.status : 499;
      const { requestId, route = 'none', errorCode } = ctx.state;
      const { method } = ctx;
      metrics.observeRequest({ method, route, status, durationSeconds: durationMs / 1_000 });
      logger.info({ requestId, method, route, status, durationMs, errorCode }, 'request');
    });
    return next();
  };
