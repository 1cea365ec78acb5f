import { z } from 'zod';
import type { Ledger } from '../../credits/ledger.ts';
import { hashRequest } from '../../payments/offer/bind-request.ts';
import type { PaidRequest } from '../../payments/offer/offers.ts';
import type { ApiMiddleware } from '../context.ts';
import { exchangeOf } from '../paid/caller.ts';
import { createTakeInPlace, type PlaceDependencies } from '../paid/charge-payment.ts';
import { discoverySchema } from '../paid/discovery-schema.ts';
import { payFor } from '../paid/pay-for.ts';
import { findBalance } from '../paid/show-credits.ts';
import { validate } from '../validate.ts';
import { type AccountArea, admitSession } from './sign-in.ts';

const CREDIT_USD_MICROS = 50_000;
const CREDITS_MAX = 100_000;
const CREDITS = `must be a whole number from 1 to ${CREDITS_MAX}`;
export const packBody = z.strictObject({
  credits: z
    .int({ error: CREDITS })
    .min(1, CREDITS)
    .max(CREDITS_MAX, CREDITS)
    .meta({ description: 'How many credits to buy, at $0.05 each.' }),
});

export type PackDependencies = PlaceDependencies & {
  readonly ledger: Pick<Ledger, 'balance'>;
  readonly area: AccountArea;
  readonly publicUrl: URL | null;
};

/** POST /account/packs: buys credits for the signed-in account by x402, from any wallet. */
export const createPackHandler = ({ area, publicUrl, ...dependencies }: PackDependencies): ApiMiddleware => {
  const { payments, ledger } = dependencies;
  const take = createTakeInPlace(dependencies);
  return async (ctx) => {
    const { accountId, address } = admitSession(ctx, area);
    const { credits } = validate(packBody, ctx.state.body);
    const exchange = exchangeOf(ctx, publicUrl);
    const request: PaidRequest = {
      hash: hashRequest(ctx.path, { accountId, credits }),
      url: exchange.url,
      from: exchange.from,
      description: 'Credits for an account.',
      usdMicros: credits * CREDIT_USD_MICROS,
      grant: { accountId, credits },
      discovery: { example: { credits }, schema: discoverySchema(packBody) },
    };
    // The reconciler adds the credits after settlement, even if this process dies.
    const bought = await payFor(payments, exchange, request, (payment) =>
      take(payment, request, 'pack', async () => {
        await area.accounts.open(address, accountId);
        return { answer: { credits }, free: null };
      }),
    );
    ctx.body = {
      credits_bought: bought.credits,
      // The money has moved, whether or not the ledger can tell the sum.
      pack_credits: findBalance(ledger, `account:${accountId}`)?.packCredits ?? null,
    };
  };
};
