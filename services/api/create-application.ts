import Koa from 'koa';
import { createReadCallerAddress } from './caller-address.ts';
import type { ApiLogger, ApiMetrics, ApiMiddleware, ApiState } from './context.ts';
import { accessLog } from './middleware/access-log.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { noStore } from './middleware/no-store.ts';
import { requestId } from './middleware/request-id.ts';

type ApplicationDependencies = {
  readonly logger: ApiLogger;
  readonly metrics: ApiMetrics;
  /** How many trusted proxies are in front; see `createReadCallerAddress`. */
  readonly proxies?: number | null;
};

/** The middleware of every answer, whatever its path. */
export const createApplication = (to: ApplicationDependencies): Koa<ApiState> => {
  const application = new Koa<ApiState>();
  // Without this Koa prints to the console. Errors after the answer's head was sent arrive here.
  application.silent = true;
  application.on('error', (err: unknown) => to.logger.error({ err }, 'answer could not be sent'));
  const readAddress = createReadCallerAddress(to.proxies ?? null);
  const locate: ApiMiddleware = (ctx, next) => {
    ctx.state.from = readAddress(ctx.req);
    return next();
  };
  for (const middleware of [requestId, noStore, accessLog(to), handleErrors(to), locate])
    application.use(middleware);
  return application;
};
