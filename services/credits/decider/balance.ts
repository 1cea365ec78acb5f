import { decideDue } from './decide.ts';
import type { LedgerEvent } from './events.ts';
import { evolve } from './evolve.ts';
import type { Cycle } from './period.ts';
import { PLANS } from './plans.ts';
import { heldBackUntilUnixMs, OPEN_CALLS_MAX, type PayerState } from './state.ts';

/** What a payer has left. Times are Unix milliseconds. */
export type Balance = {
  readonly plan: string;
  readonly planName: string;
  readonly cycle: Cycle;
  readonly analysesLeft: number;
  readonly tracesLeft: number;
  readonly packCredits: number;
  readonly periodEndUnixMs: number | null;
  readonly paidUntilUnixMs: number | null;
  /** Whether it ever received a plan or credits. */
  readonly everHadCredits: boolean;
  readonly openCalls: number;
  readonly openCallsMax: number;
  /** Until then nothing is reserved, because too many of its calls were void. null: it may call. */
  readonly heldBackUntilUnixMs: number | null;
};

/** The balance at a moment, including renewals and expiries since the last event. Changes nothing. */
export const balanceAt = (state: PayerState, nowUnixMs: number): Balance => {
  const due = decideDue(state, nowUnixMs);
  const now = due.length === 0 ? state : evolveCopy(state, due, nowUnixMs);
  return {
    plan: now.plan,
    planName: PLANS[now.plan].name,
    cycle: now.cycle,
    analysesLeft: now.analysesLeft,
    tracesLeft: now.tracesLeft,
    packCredits: now.packCredits,
    periodEndUnixMs: now.period?.endsUnixMs ?? null,
    paidUntilUnixMs: now.paidUntilUnixMs,
    everHadCredits: state.applied.size > 0,
    openCalls: now.open.size,
    openCallsMax: OPEN_CALLS_MAX,
    heldBackUntilUnixMs: heldBackUntilUnixMs(now, nowUnixMs),
  };
};

/** Ended periods and applied changes do not affect what is left. */
const evolveCopy = (state: PayerState, events: readonly LedgerEvent[], nowUnixMs: number): PayerState => {
  const none = { ended: new Map(), refused: new Map(), applied: new Set<string>() };
  const copy: PayerState = { ...state, ...none, open: new Map(state.open) };
  for (const event of events) evolve(copy, event, nowUnixMs);
  return copy;
};
