import { randomUUID } from 'node:crypto';
import type { ApiMiddleware } from '../context.ts';

/** A caller's own id is kept if it is safe in a log line. */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** The request's id, its own or a new one. */
export const nameRequest = (given: unknown): string =>
  typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();

/** Gives every request an id and returns it, even on errors. */
export const requestId: ApiMiddleware = (ctx, next) => {
  ctx.state.requestId = nameRequest(ctx.get('x-request-id'));
  ctx.state.errorCode = null;
  ctx.res.setHeader('x-request-id', ctx.state.requestId);
  return next();
};
