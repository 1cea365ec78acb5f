import Koa from 'koa';
import { createReadCallerAddress } from './caller-address.ts';
import type { ApiLogger, ApiMetrics, ApiMiddleware, ApiState } from './context.ts';
import { accessLog } from './middleware/access-log.ts';
import { allowOrigins } from './middleware/allow-origins.ts';
import { encodeAnswer } from './middleware/encode-answer.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { noStore } from './middleware/no-store.ts';
import { requestId } from './middleware/request-id.ts';

type ApplicationDependencies = {
  readonly logger: ApiLogger;
  readonly metrics: ApiMetrics;
  /** How many trusted proxies are in front; see `createReadCallerAddress`. */
  readonly proxies?: number | null;
  /** Origins whose pages may call from a browser, `*` for all; none without it. */
  readonly origins?: readonly string[];
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
  const everywhere = [
    ...[encodeAnswer, requestId, noStore, accessLog(to)],
    ...[allowOrigins(to.origins ?? []), handleErrors(to), locate],
  ];
  for (const middleware of everywhere) application.use(middleware);
  return application;
};
