import type { Clock } from '../../platform/clock.ts';
import { createRateLimit, type RateLimit } from '../../platform/rate-limit.ts';
import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';

/** Calls of one address where each must be paid: one to ask the price, one with the payment. */
const UNPAID = { burst: 120, everyMs: 500 };
/** Free calls of one address where nobody has to pay. */
const OPEN = { burst: 30, everyMs: 2_000 };
const SIGNING_IN = { burst: 60, everyMs: 1_000 };

/**
 * Bounds an address's unpaid requests: prices, wrong keys, invalid payments. Paid calls and calls with a valid key
 * do not count. Throws `ApiError` `too_many_calls`.
 */
export const limitUnpaid = (clock: Clock): ApiMiddleware => {
  const unpaid = createRateLimit(UNPAID, clock);
  const open = createRateLimit(OPEN, clock);
  return async (ctx, next) => {
    const { caller, from } = ctx.state;
    if (caller.kind === 'account' || (caller.kind === 'anyone' && from.isLocal)) return next();
    const limit = caller.kind === 'anyone' ? open : unpaid;
    takeOne(limit, from.name);
    await next();
    if (ctx.status === 200 && ctx.state.paymentResponse !== undefined) limit.giveBack(from.name);
  };
};

/** Bounds how often an address may start to sign in. */
export const limitSigningIn = (clock: Clock): ApiMiddleware => {
  const limit = createRateLimit(SIGNING_IN, clock);
  return (ctx, next) => {
    takeOne(limit, ctx.state.from.name);
    return next();
  };
};

const takeOne = (limit: RateLimit, name: string): void => {
  const seconds = limit.take(name);
  if (seconds === 0) return;
  throw new ApiError('too_many_calls', {
    sentence: 'Too many unpaid calls came from your address. Wait as long as Retry-After says.',
    headers: { 'Retry-After': String(seconds) },
  });
};
