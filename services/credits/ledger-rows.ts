import { type Charge, type LedgerEvent, NO_CHARGE } from './decider/events.ts';
import { NO_PLAN } from './decider/plans.ts';
import type { LedgerEntry } from './ledger-codec.ts';

type Row = Readonly<Record<string, string | number | boolean | null>>;

/** An event as a row of `ledger_entries`. Columns of other events keep the table's defaults. */
export const toLedgerRow = ({ payer, atUnixMs, event }: LedgerEntry, sequence: number): Row => ({
  payer,
  sequence,
  at: toDateTime(atUnixMs),
  type: event.type,
  ...columnsOf(event),
});

const columnsOf = (event: LedgerEvent): Row => {
  switch (event.type) {
    case 'CallReserved':
      return { ...callOf(event), key_id: event.keyId ?? '', ...changeOf(negative(event.charge)) };
    case 'CallRefused':
      return { call_id: event.callId, reason: event.reason };
    case 'CallPosted':
      return callOf(event);
    case 'CallVoided': {
      const posted_at = toDateTime(event.postedUnixMs);
      return { ...callOf(event), reason: event.reason, posted_at, ...changeOf(event.refund) };
    }
    case 'PlanChanged': {
      const { commandId: command_id, plan, cycle, paidUntilUnixMs } = event;
      const paid_until = toDateTime(paidUntilUnixMs);
      // Every other plan grants its first period in a separate event.
      return { command_id, plan, cycle, paid_until, ends_allowance: plan === NO_PLAN };
    }
    case 'PeriodStarted': {
      const { analyses, traces, endsUnixMs } = event;
      const period_end = toDateTime(endsUnixMs);
      return { period_end, ends_allowance: true, ...changeOf({ ...NO_CHARGE, analyses, traces }) };
    }
    case 'CreditsAdded':
      return { command_id: event.commandId, ...changeOf({ ...NO_CHARGE, credits: event.credits }) };
  }
};

const callOf = ({ callId, tariff, charge }: { callId: string; tariff: string; charge: Charge }): Row => ({
  call_id: callId,
  tariff,
  analyses_charged: charge.analyses,
  traces_charged: charge.traces,
  credits_charged: charge.credits,
});

const changeOf = ({ analyses, traces, credits }: Charge): Row => ({
  analyses_change: analyses,
  traces_change: traces,
  credits_change: credits,
});

const negative = ({ analyses, traces, credits }: Charge): Charge => ({
  analyses: -analyses,
  traces: -traces,
  credits: -credits,
});

/** The largest time that ten digits of seconds can express. A plan may be paid until a later day. */
const LAST_UNIX_MS = 9_999_999_999_999;

/** Seconds with ten digits and three decimals, the form that the engine reads. */
const toDateTime = (unixMs: number | null) =>
  unixMs === null ? null : (Math.min(unixMs, LAST_UNIX_MS) / 1_000).toFixed(3).padStart(14, '0');
