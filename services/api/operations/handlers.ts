import type { ApiMetrics, ApiMiddleware } from '../context.ts';
import type { StatusReader } from '../status/read-status.ts';

/** GET /livez: the process answers; restarting it would help nothing else. */
export const livez: ApiMiddleware = (ctx) => {
  ctx.body = { live: true };
};

/**
 * GET /readyz: 503 while requests should go elsewhere: starting, closing, nothing to answer from, or a chain that stands
 * still, so that a copy whose nodes answer serves instead.
 */
export const createReadyzHandler =
  ({ readStatus, isClosing }: { readStatus: StatusReader; isClosing: () => boolean }): ApiMiddleware =>
  async (ctx) => {
    const { status, components, waits } = await readStatus();
    const stalled = components.chains.filter(({ isStalled }) => isStalled).map(({ chain }) => chain);
    const ready = !isClosing() && status !== 'down' && stalled.length === 0;
    ctx.status = ready ? 200 : 503;
    ctx.body = { ready, stalled, ...(waits && { waiting_for: waits.map(({ part }) => part) }) };
  };

/** GET /metrics, in the Prometheus text format. */
export const createMetricsHandler =
  (metrics: ApiMetrics): ApiMiddleware =>
  async (ctx) => {
    const { contentType, text } = await metrics.expose();
    ctx.set('Content-Type', contentType);
    ctx.body = text;
  };
