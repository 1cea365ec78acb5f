import Router from '@koa/router';
import Koa from 'koa';
import type { ApiState } from './context.ts';
import type { ApiDependencies } from './create-api.ts';
import { accessLog } from './middleware/access-log.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { rejectUnmatched } from './middleware/reject-unmatched.ts';
import { requestId } from './middleware/request-id.ts';
import { createMetricsHandler, createReadyzHandler, livez } from './operations/handlers.ts';
import { createStatusHandler } from './status/handler.ts';
import { createStatusReader } from './status/read-status.ts';

type Dependencies = Pick<
  ApiDependencies,
  'probes' | 'logger' | 'metrics' | 'clock' | 'version' | 'isClosing'
>;

/** What a process without the API's role answers: how it is, and nothing else. */
export const createOperationsApi = (dependencies: Dependencies): Koa<ApiState> => {
  const { logger, metrics, probes, clock, version, isClosing } = dependencies;
  const api = new Koa<ApiState>();
  // Without this Koa prints to the console; errors after the answer's head went out land here.
  api.silent = true;
  api.on('error', (err: unknown) => logger.error({ err }, 'answer could not be sent'));
  const readStatus = createStatusReader(probes, clock);
  const router = new Router<ApiState>({ sensitive: true });
  router.get('/status', createStatusHandler({ readStatus, version, isOpen: () => false }));
  router.get('/livez', livez);
  router.get('/readyz', createReadyzHandler({ readStatus, isClosing }));
  router.get('/metrics', createMetricsHandler(metrics));
  api.use(requestId);
  api.use(accessLog({ logger, metrics }));
  api.use(handleErrors({ logger }));
  api.use(router.routes());
  api.use(rejectUnmatched);
  return api;
};
