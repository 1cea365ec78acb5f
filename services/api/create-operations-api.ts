import type Koa from 'koa';
import type { ApiLogger, ApiState } from './context.ts';
import { createApplication } from './create-application.ts';
import { ApiError } from './errors.ts';
import { type OperationsDependencies, operationsRoutes, statusRoutes } from './operations/routes.ts';
import { isPaidPath } from './paid/resources.ts';
import { NOBODYS_CREDITS } from './paid/show-credits.ts';
import { createRouter } from './router.ts';

/** The longest pause between attempts to reach an engine. */
const RETRY_AFTER_SECONDS = 10;

const notYet = (): ApiError =>
  new ApiError('unavailable', {
    sentence: 'The service is starting. Please try again.',
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });

type Dependencies = OperationsDependencies & {
  readonly logger: ApiLogger;
  readonly origins?: readonly string[];
};

/** The routes for operators, at their own address. `isOpen`: null in a process that does not know. */
export const createOperationsApi = (
  dependencies: Dependencies,
  isOpen: (() => boolean) | null = null,
): Koa<ApiState> =>
  createApplication({ ...dependencies, origins: [] }).use(
    createRouter(operationsRoutes(dependencies, isOpen)),
  );

/**
 * The API of a process without the role `api`, and of every process until it has started. It only tells its
 * health; other requests during the start get 503.
 */
export const createStatusApi = (dependencies: Dependencies): Koa<ApiState> => {
  const { waits } = dependencies.probes;
  const api = createApplication(dependencies);
  // The account cannot be known yet.
  if (waits)
    api.use((ctx, next) => {
      if (isPaidPath(ctx.path)) ctx.set(NOBODYS_CREDITS);
      return next();
    });
  return api.use(createRouter(statusRoutes(dependencies, null), waits && notYet));
};
