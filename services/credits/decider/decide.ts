import { findAnswer } from './answer.ts';
import type { LedgerCommand } from './commands.ts';
import { type Charge, type LedgerEvent, NO_CHARGE, type Refusal, type VoidReason } from './events.ts';
import { periodAt } from './period.ts';
import { NO_PLAN, PLANS } from './plans.ts';
import {
  DEADLINE_MS_MAX,
  heldBackUntilUnixMs,
  OPEN_CALLS_MAX,
  type OpenCall,
  type PayerState,
} from './state.ts';
import { type Purchase, TARIFFS } from './tariffs.ts';

/**
 * The events that a command leads to. Pure. The books must be current for the same moment: call `forgetCalls` and
 * apply `decideDue` first. A command that was decided before returns no events.
 */
export const decide = (
  state: PayerState,
  command: LedgerCommand,
  nowUnixMs: number,
  /** The ledger already holds the maximum number of calls. */
  isFull = false,
): LedgerEvent[] => {
  if (findAnswer(state, command) !== null) return [];
  switch (command.type) {
    case 'ReserveCall':
      return [reserve(state, command, nowUnixMs, isFull)];
    case 'PostCall': {
      const call = state.open.get(command.callId);
      if (call === undefined) return [refuse(command.callId, 'call_unknown', null)];
      const { tariff, charge } = call;
      return [{ type: 'CallPosted', callId: command.callId, tariff, charge }];
    }
    case 'VoidCall': {
      const ended = state.ended.get(command.callId);
      const call = state.open.get(command.callId) ?? (ended?.status === 'posted' ? ended : undefined);
      if (call === undefined) return [refuse(command.callId, 'call_unknown', command.deadlineUnixMs ?? null)];
      return [voided(state, command.callId, call, command.reason)];
    }
    case 'ChangePlan': {
      const { id: commandId, plan, cycle } = command;
      const paidUntilUnixMs = plan === NO_PLAN ? null : command.paidUntilUnixMs;
      const changed: LedgerEvent = { type: 'PlanChanged', commandId, plan, cycle, paidUntilUnixMs };
      if (plan === NO_PLAN || (plan === state.plan && cycle === state.cycle)) return [changed];
      const period = periodAt(nowUnixMs, cycle, nowUnixMs);
      const { analyses, traces } = PLANS[plan];
      const granted = { analyses: analyses[cycle], traces: traces[cycle] };
      return [changed, { type: 'PeriodStarted', ...period, ...granted }];
    }
    case 'AddCredits':
      return [{ type: 'CreditsAdded', commandId: command.id, credits: command.credits }];
  }
};

/** What time alone causes: reservations expire, plans end, periods begin. Pure. */
export const decideDue = (state: PayerState, nowUnixMs: number): LedgerEvent[] => [
  ...overdueCalls(state, nowUnixMs),
  ...renewal(state, nowUnixMs),
];

const overdueCalls = (state: PayerState, nowUnixMs: number): LedgerEvent[] => {
  const events: LedgerEvent[] = [];
  for (const [callId, call] of state.open) {
    if (call.deadlineUnixMs <= nowUnixMs) events.push(voided(state, callId, call, 'deadline'));
  }
  return events;
};

const renewal = (state: PayerState, nowUnixMs: number): LedgerEvent[] => {
  const { plan, cycle, period, paidUntilUnixMs, anchorUnixMs } = state;
  if (period === null) return [];
  if (paidUntilUnixMs !== null && paidUntilUnixMs <= nowUnixMs)
    return [{ type: 'PlanChanged', commandId: '', plan: NO_PLAN, cycle, paidUntilUnixMs: null }];
  if (period.endsUnixMs > nowUnixMs) return [];
  const { analyses, traces } = PLANS[plan];
  return [
    {
      type: 'PeriodStarted',
      ...periodAt(anchorUnixMs, cycle, nowUnixMs),
      analyses: analyses[cycle],
      traces: traces[cycle],
    },
  ];
};

const reserve = (
  state: PayerState,
  command: Extract<LedgerCommand, { type: 'ReserveCall' }>,
  nowUnixMs: number,
  isFull: boolean,
): LedgerEvent => {
  const { callId, tariff, keyId } = command;
  const refused = (reason: Refusal): LedgerEvent => refuse(callId, reason, command.deadlineUnixMs);
  if (command.deadlineUnixMs <= nowUnixMs) return refused('deadline_passed');
  // The ledger would forget the end of such a call before its deadline, and then reserve a copy again.
  if (command.deadlineUnixMs > nowUnixMs + DEADLINE_MS_MAX) return refused('deadline_too_far');
  if (state.open.size >= OPEN_CALLS_MAX) return refused('too_many_calls');
  const charge = chooseCharge(state, tariff);
  if (charge === null) return refused('insufficient_credits');
  if (heldBackUntilUnixMs(state, nowUnixMs) !== null) return refused('too_many_unpaid_calls');
  if (isFull) return refused('memory_full');
  const { deadlineUnixMs } = command;
  return { type: 'CallReserved', callId, tariff, keyId, deadlineUnixMs, charge };
};

/** The plan pays first, pack credits otherwise; one of them pays the whole price. null if neither can. */
const chooseCharge = (state: PayerState, purchase: Purchase): Charge | null => {
  if (state.isWallet) return NO_CHARGE;
  if (purchase === 'pack') return null;
  const { allowance, units, credits } = TARIFFS[purchase];
  const left = allowance === 'analyses' ? state.analysesLeft : state.tracesLeft;
  if (left >= units) return { ...NO_CHARGE, [allowance]: units };
  if (state.packCredits >= credits) return { ...NO_CHARGE, credits };
  return null;
};

const refuse = (callId: string, reason: Refusal, deadlineUnixMs: number | null): LedgerEvent => ({
  type: 'CallRefused',
  callId,
  reason,
  deadlineUnixMs,
});

const voided = (
  state: PayerState,
  callId: string,
  call: OpenCall & { readonly postedUnixMs?: number },
  reason: VoidReason,
): LedgerEvent => {
  const { tariff, charge, postedUnixMs = null } = call;
  // A grant of an earlier period ended with it. Giving it back now would grant it twice.
  const isCurrent = call.periodNumber === state.periodNumber;
  const refund = isCurrent ? charge : { ...NO_CHARGE, credits: charge.credits };
  return { type: 'CallVoided', callId, tariff, reason, refund, charge, postedUnixMs };
};
