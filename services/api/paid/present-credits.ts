import type { Balance } from '../../credits/decider/balance.ts';

const toIso = (unixMs: number | null): string | null =>
  unixMs === null ? null : new Date(unixMs).toISOString();

/** The credits object of answers; every field is null without an account. */
export const presentCredits = (balance: Balance | null) => ({
  plan: balance?.plan ?? null,
  plan_name: balance?.planName ?? null,
  cycle: balance?.cycle ?? null,
  analyses_left: balance?.analysesLeft ?? null,
  traces_left: balance?.tracesLeft ?? null,
  pack_credits: balance?.packCredits ?? null,
  period_end: toIso(balance?.periodEndUnixMs ?? null),
  paid_until: toIso(balance?.paidUntilUnixMs ?? null),
});
