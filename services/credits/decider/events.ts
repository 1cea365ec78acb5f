import type { Cycle } from './period.ts';
import type { PlanId } from './plans.ts';
import type { Purchase } from './tariffs.ts';

/** What a call takes or gives back. At most one of the three is not zero; none is for a call with its own payment. */
export type Charge = { readonly analyses: number; readonly traces: number; readonly credits: number };

export const NO_CHARGE: Charge = { analyses: 0, traces: 0, credits: 0 };

export type Refusal =
  | 'too_many_calls'
  /** Too many calls of the account came to nothing (`VOIDS_MAX`). */
  | 'too_many_unpaid_calls'
  | 'insufficient_credits'
  | 'deadline_passed'
  | 'deadline_too_far'
  /** As many calls of all payers are held as there is room for (`CALLS_MAX`). */
  | 'memory_full'
  /** Posted or voided, but never reserved, or forgotten long after its deadline. */
  | 'call_unknown';

export type VoidReason = 'failed' | 'no_data' | 'labels_only' | 'unanswered' | 'deadline';

/** What has happened on one payer's books, in the past tense. Amounts are never computed again from tariffs or plans. */
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
      /** Of the reservation: the refused one, or one that may come yet. null where none can come, and in old records. */
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
      /** What was reserved, less what belonged to a period that is over. */
      readonly refund: Charge;
      /** What was reserved. */
      readonly charge: Charge;
      /** When it had been posted; null where it was only reserved. */
      readonly postedUnixMs: number | null;
    }
  | {
      readonly type: 'PlanChanged';
      /** Of the command; empty where the plan ended by itself. */
      readonly commandId: string;
      readonly plan: PlanId;
      readonly cycle: Cycle;
      readonly paidUntilUnixMs: number | null;
    }
  | {
      readonly type: 'PeriodStarted';
      readonly startsUnixMs: number;
      readonly endsUnixMs: number;
      /** Granted; what was left of the period before is gone. */
      readonly analyses: number;
      readonly traces: number;
    }
  | { readonly type: 'CreditsAdded'; readonly commandId: string; readonly credits: number };
