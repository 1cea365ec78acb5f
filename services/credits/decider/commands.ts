import type { VoidReason } from './events.ts';
import type { Cycle } from './period.ts';
import type { PlanId } from './plans.ts';
import type { Purchase } from './tariffs.ts';

/**
 * What the ledger can be asked for. Each may be sent any number of times: a call's commands are known by the call and
 * their type, the others by their id, and a repeated one changes nothing and gets the first answer.
 */
export type LedgerCommand =
  | {
      readonly type: 'ReserveCall';
      readonly callId: string;
      readonly tariff: Purchase;
      /** The key that was used; null for a payment. */
      readonly keyId: string | null;
      /** From then on the reservation is void unless it was posted. At most `DEADLINE_MS_MAX` ahead. */
      readonly deadlineUnixMs: number;
    }
  | { readonly type: 'PostCall'; readonly callId: string }
  /** Wins over a post, whichever comes first: sent only by who did not give the result away. */
  | {
      readonly type: 'VoidCall';
      readonly callId: string;
      readonly reason: VoidReason;
      /** Of its reservation, where that may come after this. */
      readonly deadlineUnixMs?: number | null;
    }
  | {
      readonly type: 'ChangePlan';
      readonly id: string;
      readonly plan: PlanId;
      readonly cycle: Cycle;
      /** The plan ends then; null: it renews until it is changed. */
      readonly paidUntilUnixMs: number | null;
    }
  /** `id` is the payment's key where a payment bought them. */
  | { readonly type: 'AddCredits'; readonly id: string; readonly credits: number };
