import type { Clock } from '../../platform/clock.ts';
import { createRateLimit, type RateLimit } from '../../platform/rate-limit.ts';
import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';

/** Calls of one address where each is to be paid for: the price is asked, and the call sent again with its payment. */
const UNPAID = { burst: 120, everyMs: 500 };
/** Where nobody has to pay, and the call is worked on. */
const OPEN = { burst: 30, everyMs: 2_000 };
const SIGNING_IN = { burst: 60, everyMs: 1_000 };

/**
 * Bounds what one address may ask before anybody has paid: prices, wrong keys, payments that nobody signed. A call that is
 * paid for does not count, nor does one with a key. Throws `ApiError` `too_many_calls`.
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
    if (ctx.status === 200 && ctx.res.hasHeader('PAYMENT-RESPONSE')) limit.giveBack(from.name);
  };
};

/** Bounds how often one address may begin to sign in. */
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
    sentence: 'Too many calls that nobody paid for came from your address. Please wait.',
    headers: { 'Retry-After': String(seconds) },
  });
};
