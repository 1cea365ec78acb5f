import type { LedgerCommand } from './commands.ts';
import type { Refusal, VoidReason } from './events.ts';
import type { PayerState } from './state.ts';

export type LedgerAnswer =
  | { readonly status: 'reserved' }
  | { readonly status: 'posted' }
  | { readonly status: 'voided'; readonly reason: VoidReason }
  | { readonly status: 'refused'; readonly reason: Refusal }
  | { readonly status: 'applied' };

/** The books' answer to a command; null if it is not decided yet. Only this function recognises repeated commands. */
export const findAnswer = (state: PayerState, command: LedgerCommand): LedgerAnswer | null => {
  if (command.type === 'ChangePlan' || command.type === 'AddCredits')
    return state.applied.has(command.id) ? { status: 'applied' } : null;
  if (state.open.has(command.callId)) return command.type === 'ReserveCall' ? { status: 'reserved' } : null;
  const call = state.ended.get(command.callId);
  if (call === undefined) return findRefusal(state, command);
  if (call.status === 'voided') return { status: 'voided', reason: call.reason };
  return command.type === 'VoidCall' ? null : { status: 'posted' };
};

const findRefusal = (
  state: PayerState,
  command: Extract<LedgerCommand, { callId: string }>,
): LedgerAnswer | null => {
  const refused = state.refused.get(command.callId);
  if (refused !== undefined) return { status: 'refused', reason: refused.reason };
  return command.type === 'ReserveCall' && command.deadlineUnixMs <= state.refusedUpToUnixMs
    ? { status: 'refused', reason: 'too_many_calls' }
    : null;
};
