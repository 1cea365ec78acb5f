import type { Clock } from '../../platform/clock.ts';
import type { ApiMetrics, ApiMiddleware } from '../context.ts';
import { keepFresh } from '../keep-fresh.ts';
import type { StatusReader } from '../status/read-status.ts';

/** GET /livez: the process answers. A restart would help nothing else. */
export const livez: ApiMiddleware = (ctx) => {
  ctx.body = { live: true };
};

/**
 * GET /readyz: 503 while traffic should go elsewhere: starting, closing, without tables, or with a stalled
 * chain, so that an instance with working nodes takes over. Tables that take no new blocks still answer: that is
 * told, and traffic stays.
 */
export const createReadyzHandler =
  ({ readStatus, isClosing }: { readStatus: StatusReader; isClosing: () => boolean }): ApiMiddleware =>
  async (ctx) => {
    const { status, components, insertsWaitSinceUnixMs, waits } = await readStatus();
    const stalled = components.chains.filter(({ isStalled }) => isStalled).map(({ chain }) => chain);
    const ready = !isClosing() && status !== 'down' && stalled.length === 0;
    ctx.status = ready ? 200 : 503;
    ctx.body = {
      ready,
      stalled,
      ...(insertsWaitSinceUnixMs !== null && {
        inserts_wait_since: Math.floor(insertsWaitSinceUnixMs / 1_000),
      }),
      ...(waits && { waiting_for: waits.map(({ part }) => part) }),
    };
  };

/** Making the text takes some ten milliseconds and queries the tables. */
const FRESH_MS = 1_000;

/** GET /metrics, in the Prometheus text format. */
export const createMetricsHandler = ({
  metrics,
  clock,
}: {
  metrics: ApiMetrics;
  clock: Clock;
}): ApiMiddleware => {
  const expose = keepFresh(metrics.expose, clock, FRESH_MS);
  return async (ctx) => {
    const { contentType, text } = await expose();
    ctx.set('Content-Type', contentType);
    ctx.body = text;
  };
};
