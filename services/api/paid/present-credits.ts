import type { Balance } from '../../credits/decider/balance.ts';

const toIso = (unixMs: number | null): string | null =>
  unixMs === null ? null : new Date(unixMs).toISOString();

/** The credits object in the specification's words; every field null where no account is behind the call. */
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
