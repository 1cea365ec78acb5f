import { DAY_MS, type DayUsage, dayOf, newDay } from '../../credits/decider/usage.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiMiddleware } from '../context.ts';
import { admitAccount, payerOf } from '../paid/caller.ts';
import { invalid } from '../validate.ts';
import type { BillingDependencies } from './account.ts';

const DAYS = { min: 7, max: 365 };

/** GET /billing/usage/{days}: one row a UTC day, today's last. */
export const createUsageHandler =
  ({ ledger, clock }: Pick<BillingDependencies, 'ledger'> & { clock: Clock }): ApiMiddleware =>
  async (ctx) => {
    const days = parseDays(ctx.params.days ?? '');
    const payer = payerOf(admitAccount(ctx.state.caller));
    const usage = ledger.usage(payer);
    const today = dayOf(clock.nowUnixMs());
    const rows = Array.from({ length: days }, (_, i) => today - days + 1 + i);
    ctx.body = {
      days,
      from: toDate(today - days + 1),
      to: toDate(today),
      usage: rows.map((day) => ({ date: toDate(day), ...presentDay(usage.get(day) ?? newDay()) })),
    };
  };

const parseDays = (text: string): number => {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days >= DAYS.min && days <= DAYS.max) return days;
  throw invalid({ path: 'days', message: `must be a whole number from ${DAYS.min} to ${DAYS.max}` });
};

const presentDay = (day: DayUsage) => ({
  analyses: day.analyses,
  traces: day.traces,
  follows: day.follows,
  insiders: day.insiders,
  victims: day.victims,
  failed: day.failed,
  analyses_charged: day.analysesCharged,
  traces_charged: day.tracesCharged,
  credits_charged: day.creditsCharged,
});

const toDate = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
