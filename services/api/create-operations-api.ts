import Koa from 'koa';
import type { ApiState } from './context.ts';
import type { ApiDependencies } from './create-api.ts';
import { ApiError } from './errors.ts';
import { accessLog } from './middleware/access-log.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { noStore } from './middleware/no-store.ts';
import { requestId } from './middleware/request-id.ts';
import { createMetricsHandler, createReadyzHandler, livez } from './operations/handlers.ts';
import { isPaidPath } from './paid/resources.ts';
import { NOBODYS_CREDITS } from './paid/show-credits.ts';
import { createRouter, type Route } from './router.ts';
import { createStatusHandler } from './status/handler.ts';
import { createStatusReader } from './status/read-status.ts';

type Dependencies = Pick<
  ApiDependencies,
  'probes' | 'logger' | 'metrics' | 'clock' | 'version' | 'isClosing'
>;

/** Attempts to reach an engine are never further apart. */
const RETRY_AFTER_SECONDS = 10;

const notYet = (): ApiError =>
  new ApiError('unavailable', {
    sentence: 'The service is starting. Please try again.',
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });

/**
 * What a process without the API's role answers, and every process until it has started: how it is, and nothing else. Whoever
 * asks for more while it starts is told to come back.
 */
export const createOperationsApi = (dependencies: Dependencies): Koa<ApiState> => {
  const { logger, metrics, probes, clock, version, isClosing } = dependencies;
  const api = new Koa<ApiState>();
  // Without this Koa prints to the console; errors after the answer's head went out land here.
  api.silent = true;
  api.on('error', (err: unknown) => logger.error({ err }, 'answer could not be sent'));
  const readStatus = createStatusReader(probes, clock);
  const routes: Route[] = [
    ['GET', '/status', createStatusHandler({ readStatus, version, isOpen: null })],
    ['GET', '/livez', livez],
    ['GET', '/readyz', createReadyzHandler({ readStatus, isClosing })],
    ['GET', '/metrics', createMetricsHandler(metrics)],
  ];
  api.use(requestId);
  api.use(noStore);
  api.use(accessLog({ logger, metrics }));
  api.use(handleErrors({ logger }));
  // Whose account it is cannot be known yet.
  if (probes.waits)
    api.use((ctx, next) => {
      if (isPaidPath(ctx.path)) ctx.set(NOBODYS_CREDITS);
      return next();
    });
  api.use(createRouter(routes, probes.waits && notYet));
  return api;
};
