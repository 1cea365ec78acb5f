import { randomUUID } from 'node:crypto';
import type { ApiMiddleware } from '../context.ts';

/** A caller's own id is kept when it can stand in a log line as it is. */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** The name of a request, which may have brought one. */
export const nameRequest = (given: unknown): string =>
  typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();

/** Names the request and puts the name on its answer, whatever becomes of it. */
export const requestId: ApiMiddleware = (ctx, next) => {
  ctx.state.requestId = nameRequest(ctx.get('x-request-id'));
  ctx.state.errorCode = null;
  ctx.res.setHeader('x-request-id', ctx.state.requestId);
  return next();
};
