import type { Directory } from '../../accounts/directory.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { ApiMiddleware } from '../context.ts';
import { admitAccount } from '../paid/caller.ts';
import { presentCredits } from '../paid/present-credits.ts';

export type BillingDependencies = {
  readonly directory: Directory;
  readonly ledger: Pick<Ledger, 'balance' | 'usage' | 'keysUsed'>;
};

/** GET /billing/account: the plan, what is left of it, and the keys that spend it. */
export const createAccountHandler =
  (billing: BillingDependencies): ApiMiddleware =>
  async (ctx) => {
    const { accountId } = admitAccount(ctx.state.caller);
    ctx.body = presentAccount(billing, accountId);
  };

export const presentAccount = ({ directory, ledger }: BillingDependencies, accountId: string) => {
  const payer = `account:${accountId}` as const;
  const balance = ledger.balance(payer);
  const used = ledger.keysUsed(payer);
  return {
    account_id: accountId,
    ...presentCredits(balance),
    concurrency: { limit: balance.openCallsMax, in_flight: balance.openCalls },
    keys: directory.keysOf(accountId).map(({ id, prefix, name, createdUnixMs, revokedUnixMs }) => ({
      id,
      prefix,
      name,
      created_at: toUnixSeconds(createdUnixMs),
      last_used_at: toUnixSeconds(used.get(id) ?? null),
      revoked_at: toUnixSeconds(revokedUnixMs),
    })),
  };
};

const toUnixSeconds = (unixMs: number | null): number | null =>
  unixMs === null ? null : Math.floor(unixMs / 1_000);
