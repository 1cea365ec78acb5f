import type { VoidReason } from './events.ts';
import type { Cycle } from './period.ts';
import type { PlanId } from './plans.ts';
import type { Purchase } from './tariffs.ts';

/**
 * Commands of the ledger. Each may be sent any number of times. A call's commands are identified by call and type,
 * others by their id. A repeated command changes nothing and gets the first answer.
 */
export type LedgerCommand =
  | {
      readonly type: 'ReserveCall';
      readonly callId: string;
      readonly tariff: Purchase;
      /** The key that was used; null for a payment. */
      readonly keyId: string | null;
      /** The reservation is void after this time unless it was posted. At most `DEADLINE_MS_MAX` ahead. */
      readonly deadlineUnixMs: number;
    }
  | { readonly type: 'PostCall'; readonly callId: string }
  /** A void wins over a post, whichever comes first. Send it only if the result was not given away. */
  | {
      readonly type: 'VoidCall';
      readonly callId: string;
      readonly reason: VoidReason;
      /** The reservation's deadline, if the reservation may arrive later than this command. */
      readonly deadlineUnixMs?: number | null;
    }
  | {
      readonly type: 'ChangePlan';
      readonly id: string;
      readonly plan: PlanId;
      readonly cycle: Cycle;
      /** When the plan ends; null: it renews until it is changed. */
      readonly paidUntilUnixMs: number | null;
    }
  /** `id` is the payment's key if a payment bought the credits. */
  | { readonly type: 'AddCredits'; readonly id: string; readonly credits: number };
