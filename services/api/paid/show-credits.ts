import type { Balance } from '../../credits/decider/balance.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { ApiMiddleware, Caller } from '../context.ts';
import { payerOf } from './caller.ts';
import { presentCredits } from './present-credits.ts';

const HEADER = 'x-service-credits';

/** What the account has left after the call, on every answer of a paid route, failures included. */
export const showCredits =
  ({ ledger }: { ledger: Pick<Ledger, 'balance'> }): ApiMiddleware =>
  async (ctx, next) => {
    try {
      await next();
    } finally {
      ctx.set(HEADER, JSON.stringify(presentCredits(balanceOf(ledger, ctx.state.caller))));
    }
  };

const balanceOf = (ledger: Pick<Ledger, 'balance'>, caller: Caller): Balance | null => {
  if (caller.kind !== 'account') return null;
  try {
    return ledger.balance(payerOf(caller));
  } catch {
    // Out of reach: nothing is known of the account. The answer says so by its status, if it matters.
    return null;
  }
};
