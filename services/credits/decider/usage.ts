import type { Charge, LedgerEvent } from './events.ts';
import type { Purchase, TariffName } from './tariffs.ts';

/** The calls of one payer on one UTC day, and their cost. */
export type DayUsage = {
  analyses: number;
  traces: number;
  follows: number;
  insiders: number;
  victims: number;
  failed: number;
  analysesCharged: number;
  tracesCharged: number;
  creditsCharged: number;
};

/** By day, as days since 1970-01-01 UTC; days without a call are absent. */
export type Usage = Map<number, DayUsage>;

export const DAY_MS = 86_400_000;
/** Days kept: the longest period of a usage request, and its last day. */
export const DAYS_KEPT = 366;

const COUNTED_AS = {
  analyze: 'analyses',
  analyze_large: 'analyses',
  trace: 'traces',
  follow: 'follows',
  insiders: 'insiders',
  victims: 'victims',
} as const satisfies Record<TariffName, keyof DayUsage>;

export const newDay = (): DayUsage => ({
  analyses: 0,
  traces: 0,
  follows: 0,
  insiders: 0,
  victims: 0,
  failed: 0,
  analysesCharged: 0,
  tracesCharged: 0,
  creditsCharged: 0,
});

export const dayOf = (unixMs: number): number => Math.floor(unixMs / DAY_MS);

/** Counts an event, in place. A posted and then voided call is subtracted on the day of its post. */
export const countUsage = (usage: Usage, event: LedgerEvent, atUnixMs: number): void => {
  if (event.type === 'CallPosted') countCall(usage, atUnixMs, event, 1);
  if (event.type !== 'CallVoided') return;
  if (event.postedUnixMs !== null) countCall(usage, event.postedUnixMs, event, -1);
  dayIn(usage, atUnixMs).failed += 1;
};

const countCall = (
  usage: Usage,
  unixMs: number,
  { tariff, charge }: { tariff: Purchase; charge: Charge },
  sign: 1 | -1,
): void => {
  const day = dayIn(usage, unixMs);
  if (tariff !== 'pack') day[COUNTED_AS[tariff]] += sign;
  day.analysesCharged += sign * charge.analyses;
  day.tracesCharged += sign * charge.traces;
  day.creditsCharged += sign * charge.credits;
};

const dayIn = (usage: Usage, unixMs: number): DayUsage => {
  const day = dayOf(unixMs);
  const known = usage.get(day);
  if (known !== undefined) return known;
  const added = newDay();
  usage.set(day, added);
  for (const each of usage.keys()) if (each <= day - DAYS_KEPT) usage.delete(each);
  return added;
};
