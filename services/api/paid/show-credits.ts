import type { Balance } from '../../credits/decider/balance.ts';
import type { Payer } from '../../credits/decider/state.ts';
import { type Ledger, LedgerUnavailableError } from '../../credits/ledger.ts';
import type { ApiMiddleware, Caller } from '../context.ts';
import { payerOf } from './caller.ts';
import { presentCredits } from './present-credits.ts';

const HEADER = 'x-service-credits';
/** For callers without a known account. */
export const NOBODYS_CREDITS = { [HEADER]: JSON.stringify(presentCredits(null)) } as const;

/** Adds what the account has left to every answer of a paid route, including errors. */
export const showCredits =
  ({ ledger }: { ledger: Pick<Ledger, 'balance'> }): ApiMiddleware =>
  async (ctx, next) => {
    try {
      await next();
    } finally {
      if (!ctx.res.headersSent)
        ctx.res.setHeader(HEADER, JSON.stringify(presentCredits(balanceOf(ledger, ctx.state.caller))));
    }
  };

const balanceOf = (ledger: Pick<Ledger, 'balance'>, caller: Caller): Balance | null =>
  caller.kind === 'account' ? findBalance(ledger, payerOf(caller)) : null;

/** null while the ledger is out of reach. */
export const findBalance = (ledger: Pick<Ledger, 'balance'>, payer: Payer): Balance | null => {
  try {
    return ledger.balance(payer);
  } catch (error) {
    if (error instanceof LedgerUnavailableError) return null;
    throw error;
  }
};
