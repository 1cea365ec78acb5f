import type { Directory } from '../../accounts/directory.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { ApiMiddleware } from '../context.ts';
import { admitAccount, payerOf } from '../paid/caller.ts';
import { presentCredits } from '../paid/present-credits.ts';

export type BillingDependencies = {
  readonly directory: Directory;
  readonly ledger: Pick<Ledger, 'balance' | 'usage' | 'keysUsed'>;
};

/** GET /billing/account: the plan, what is left of it, and the keys that spend it. */
export const createAccountHandler =
  ({ directory, ledger }: BillingDependencies): ApiMiddleware =>
  async (ctx) => {
    const caller = admitAccount(ctx.state.caller);
    const payer = payerOf(caller);
    const balance = ledger.balance(payer);
    const used = ledger.keysUsed(payer);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = {
      account_id: caller.accountId,
      ...presentCredits(balance),
      concurrency: { limit: balance.openCallsMax, in_flight: balance.openCalls },
      keys: directory.keysOf(caller.accountId).map(({ id, prefix, name, createdUnixMs, revokedUnixMs }) => ({
        id,
        prefix,
        name,
        created_at: toIso(createdUnixMs),
        last_used_at: toIso(used.get(id) ?? null),
        revoked_at: toIso(revokedUnixMs),
      })),
    };
  };

const toIso = (unixMs: number | null): string | null =>
  unixMs === null ? null : new Date(unixMs).toISOString();
