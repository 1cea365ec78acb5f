import type { ApiMetrics, ApiMiddleware } from '../context.ts';
import type { StatusReader } from '../status/read-status.ts';

/** GET /livez: the process answers; restarting it would help nothing else. */
export const livez: ApiMiddleware = (ctx) => {
  ctx.body = { live: true };
};

/** GET /readyz: 503 while requests should go elsewhere: closing, or nothing to answer from. */
export const createReadyzHandler =
  ({ readStatus, isClosing }: { readStatus: StatusReader; isClosing: () => boolean }): ApiMiddleware =>
  async (ctx) => {
    const ready = !isClosing() && (await readStatus()).status !== 'down';
    ctx.status = ready ? 200 : 503;
    ctx.body = { ready };
  };

/** GET /metrics, in the Prometheus text format. */
export const createMetricsHandler =
  (metrics: ApiMetrics): ApiMiddleware =>
  async (ctx) => {
    const { contentType, text } = await metrics.expose();
    ctx.set('Content-Type', contentType);
    ctx.body = text;
  };
