import Koa from 'koa';
import type { ApiLogger, ApiMetrics, ApiState } from './context.ts';
import { accessLog } from './middleware/access-log.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { noStore } from './middleware/no-store.ts';
import { requestId } from './middleware/request-id.ts';

/** What every answer goes through, whatever there is at its address. */
export const createApplication = (to: { logger: ApiLogger; metrics: ApiMetrics }): Koa<ApiState> => {
  const application = new Koa<ApiState>();
  // Without this Koa prints to the console; errors after the answer's head went out land here.
  application.silent = true;
  application.on('error', (err: unknown) => to.logger.error({ err }, 'answer could not be sent'));
  for (const middleware of [requestId, noStore, accessLog(to), handleErrors(to)]) application.use(middleware);
  return application;
};
