import { FencedError, LogClosedError } from './event-log.ts';

/** Somebody else works in our place, or nobody can any more: what does not heal by waiting. */
export const isLogLost = (error: unknown): boolean =>
  error instanceof FencedError || error instanceof LogClosedError;
