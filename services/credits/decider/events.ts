import type { Cycle } from './period.ts';
import type { PlanId } from './plans.ts';
import type { Purchase } from './tariffs.ts';

/** What a call takes or gives back. At most one of the three is not zero; all are zero for an x402 call. */
export type Charge = { readonly analyses: number; readonly traces: number; readonly credits: number };

export const NO_CHARGE: Charge = { analyses: 0, traces: 0, credits: 0 };

export type Refusal =
  | 'too_many_calls'
  /** Too many calls of the account were void (`VOIDS_MAX`). */
  | 'too_many_unpaid_calls'
  | 'insufficient_credits'
  | 'deadline_passed'
  | 'deadline_too_far'
  /** The ledger holds `CALLS_MAX` calls of all payers. */
  | 'memory_full'
  /** Posted or voided without a known reservation: it never existed, or was forgotten after its deadline. */
  | 'call_unknown';

export type VoidReason = 'failed' | 'no_data' | 'labels_only' | 'unanswered' | 'deadline';

/** What happened on one payer's books. Amounts are recorded here and never computed again from tariffs or plans. */
export type LedgerEvent =
  | {
      readonly type: 'CallReserved';
      readonly callId: string;
      readonly tariff: Purchase;
      readonly keyId: string | null;
      readonly deadlineUnixMs: number;
      readonly charge: Charge;
    }
  | {
      readonly type: 'CallRefused';
      readonly callId: string;
      readonly reason: Refusal;
      /**
       * The deadline of the refused reservation, or of one that may still arrive. null if none can arrive, and in
       * old records.
       */
      readonly deadlineUnixMs: number | null;
    }
  | {
      readonly type: 'CallPosted';
      readonly callId: string;
      readonly tariff: Purchase;
      readonly charge: Charge;
    }
  | {
      readonly type: 'CallVoided';
      readonly callId: string;
      readonly tariff: Purchase;
      readonly reason: VoidReason;
      /** The reserved amount, less what belonged to an ended period. */
      readonly refund: Charge;
      /** What was reserved. */
      readonly charge: Charge;
      /** When it had been posted; null if it was only reserved. */
      readonly postedUnixMs: number | null;
    }
  | {
      readonly type: 'PlanChanged';
      /** The command's id; empty if the plan ended by itself. */
      readonly commandId: string;
      readonly plan: PlanId;
      readonly cycle: Cycle;
      readonly paidUntilUnixMs: number | null;
    }
  | {
      readonly type: 'PeriodStarted';
      readonly startsUnixMs: number;
      readonly endsUnixMs: number;
      /** The new grant. The rest of the previous period is lost. */
      readonly analyses: number;
      readonly traces: number;
    }
  | { readonly type: 'CreditsAdded'; readonly commandId: string; readonly credits: number };
