import type { Charge, LedgerEvent } from './events.ts';
import { NO_PLAN } from './plans.ts';
import {
  DEADLINE_MS_MAX,
  type OpenCall,
  type PayerState,
  REFUSED_MAX,
  REMEMBERED_MS,
  VOIDS_WINDOW_MS,
} from './state.ts';

/**
 * Applies an event to its books, in place: copying remembered calls for each event would cost quadratic time. The
 * same events in the same order give the same state.
 */
export const evolve = (state: PayerState, event: LedgerEvent, atUnixMs: number): void => {
  if (event.type !== 'CallRefused') forgetCalls(state, atUnixMs);
  switch (event.type) {
    case 'CallReserved': {
      const { callId, tariff, charge, deadlineUnixMs, keyId } = event;
      add(state, charge, -1);
      state.open.set(callId, { tariff, charge, periodNumber: state.periodNumber, deadlineUnixMs });
      if (keyId !== null) state.keysUsed.set(keyId, atUnixMs);
      return;
    }
    case 'CallRefused':
      rememberRefusal(state, event, atUnixMs);
      return;
    case 'CallPosted': {
      const call = take(state, event.callId);
      state.ended.set(event.callId, { ...call, status: 'posted', postedUnixMs: atUnixMs });
      countEnds(state, { posts: 1, voids: 0 }, atUnixMs);
      return;
    }
    case 'CallVoided': {
      const { deadlineUnixMs } = take(state, event.callId);
      state.ended.set(event.callId, { status: 'voided', reason: event.reason, deadlineUnixMs });
      add(state, event.refund, 1);
      countEnds(state, { posts: event.postedUnixMs === null ? 0 : -1, voids: 1 }, atUnixMs);
      return;
    }
    case 'PlanChanged':
      changePlan(state, event, atUnixMs);
      return;
    case 'PeriodStarted':
      state.periodNumber += 1;
      state.period = { startsUnixMs: event.startsUnixMs, endsUnixMs: event.endsUnixMs };
      state.analysesLeft = event.analyses;
      state.tracesLeft = event.traces;
      return;
    case 'CreditsAdded':
      state.packCredits += event.credits;
      state.applied.add(event.commandId);
  }
};

/** A call that was posted and then voided does not count as paid. */
const countEnds = (state: PayerState, ends: { posts: number; voids: number }, atUnixMs: number): void => {
  if (state.countedSinceUnixMs + VOIDS_WINDOW_MS <= atUnixMs)
    Object.assign(state, { countedSinceUnixMs: atUnixMs, posts: 0, voids: 0 });
  state.posts = Math.max(0, state.posts + ends.posts);
  state.voids += ends.voids;
};

/** A refusal does not remove an ended call: refusals have their own topic and may be read before an older void. */
const rememberRefusal = (
  state: PayerState,
  { callId, reason, deadlineUnixMs }: Extract<LedgerEvent, { type: 'CallRefused' }>,
  atUnixMs: number,
): void => {
  forgetIn(state.refused, atUnixMs);
  const longestUnixMs = atUnixMs + DEADLINE_MS_MAX;
  const reservableUntilUnixMs =
    deadlineUnixMs !== null && deadlineUnixMs <= longestUnixMs ? deadlineUnixMs : null;
  state.refused.set(callId, {
    reason,
    deadlineUnixMs: deadlineUnixMs ?? longestUnixMs,
    reservableUntilUnixMs,
  });
  for (const [oldest, call] of state.refused) {
    if (state.refused.size <= REFUSED_MAX) return;
    state.refusedUpToUnixMs = Math.max(state.refusedUpToUnixMs, call.reservableUntilUnixMs ?? 0);
    state.refused.delete(oldest);
  }
};

const add = (state: PayerState, { analyses, traces, credits }: Charge, sign: 1 | -1): void => {
  state.analysesLeft += sign * analyses;
  state.tracesLeft += sign * traces;
  state.packCredits += sign * credits;
};

/** Removes an open call, or a posted call that is now voided. */
const take = (state: PayerState, callId: string): OpenCall => {
  const open = state.open.get(callId);
  if (open !== undefined) {
    state.open.delete(callId);
    return open;
  }
  const ended = state.ended.get(callId);
  if (ended?.status !== 'posted') throw new Error(`call ${callId} is neither open nor posted`);
  // Inserted again at the end, which keeps the calls in the order of their ends.
  state.ended.delete(callId);
  return ended;
};

const changePlan = (
  state: PayerState,
  event: Extract<LedgerEvent, { type: 'PlanChanged' }>,
  atUnixMs: number,
): void => {
  const { commandId, plan, cycle, paidUntilUnixMs } = event;
  if (commandId !== '') state.applied.add(commandId);
  state.paidUntilUnixMs = paidUntilUnixMs;
  // The plan is paid for longer; the running period continues.
  if (plan === state.plan && cycle === state.cycle && plan !== NO_PLAN) return;
  state.plan = plan;
  state.cycle = cycle;
  state.anchorUnixMs = atUnixMs;
  state.periodNumber += 1;
  state.period = null;
  state.analysesLeft = 0;
  state.tracesLeft = 0;
};

/** Stops at the first call that is still remembered, so each call is visited once. */
export const forgetCalls = (state: PayerState, nowUnixMs: number): void => {
  forgetIn(state.ended, nowUnixMs);
  forgetIn(state.refused, nowUnixMs);
};

const forgetIn = (calls: Map<string, { readonly deadlineUnixMs: number }>, nowUnixMs: number): void => {
  for (const [callId, { deadlineUnixMs }] of calls) {
    if (deadlineUnixMs + REMEMBERED_MS > nowUnixMs) return;
    calls.delete(callId);
  }
};
