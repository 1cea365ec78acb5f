export const CYCLES = ['monthly', 'yearly'] as const;
export type Cycle = (typeof CYCLES)[number];

/** From `startsUnixMs` (included) to `endsUnixMs` (excluded). */
export type Period = { readonly startsUnixMs: number; readonly endsUnixMs: number };

const MONTHS = { monthly: 1, yearly: 12 } as const satisfies Record<Cycle, number>;

/**
 * The same day and time some months later in UTC, or that month's last day: 31 January plus one month is 28
 * February.
 */
const addMonths = (unixMs: number, months: number): number => {
  const from = new Date(unixMs);
  const target = new Date(unixMs);
  target.setUTCDate(1);
  target.setUTCMonth(from.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  target.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return target.getTime();
};

/** The period that contains a moment. It is counted from the anchor, so a short month does not shorten later ones. */
export const periodAt = (anchorUnixMs: number, cycle: Cycle, nowUnixMs: number): Period => {
  const months = MONTHS[cycle];
  const from = new Date(anchorUnixMs);
  const now = new Date(nowUnixMs);
  const monthsApart =
    (now.getUTCFullYear() - from.getUTCFullYear()) * 12 + now.getUTCMonth() - from.getUTCMonth();
  let index = Math.max(0, Math.floor(monthsApart / months));
  if (index > 0 && addMonths(anchorUnixMs, index * months) > nowUnixMs) index -= 1;
  return {
    startsUnixMs: addMonths(anchorUnixMs, index * months),
    endsUnixMs: addMonths(anchorUnixMs, (index + 1) * months),
  };
};
