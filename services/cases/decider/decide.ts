import type { Case } from './case.ts';

/** What an owner has. Deleted cases and steps that were undone for good stay in the log, so they still count as written. */
export type Owned = { readonly cases: number; readonly writtenBytes: number };

export type Command =
  | { readonly type: 'make'; readonly textBytes: number; readonly recordBytes: number }
  | {
      readonly type: 'take';
      readonly version: number;
      readonly textBytes: number;
      readonly recordBytes: number;
    }
  | { readonly type: 'undo' | 'redo'; readonly version: number }
  | { readonly type: 'name' | 'share' | 'unshare' | 'delete' };

/** `unknown`: no such case. `changed`: somebody else changed it. `nothing`: there is no step to undo or redo. The others are limits. */
export type Refusal = 'unknown' | 'changed' | 'nothing' | 'many_cases' | 'many_steps' | 'long_case' | 'full';

export const LIMITS = {
  /** Cases of one owner. */
  cases: 1_000,
  steps: 500,
  /** Text of all steps of a case, which one answer holds. */
  textBytes: 24 << 20,
  /** All that an owner ever wrote, a kilobyte for each event. */
  writtenBytes: 512 << 20,
} as const;
export const EVENT_BYTES = 1_024;

/** Why a command is refused; null where it may be carried out. */
export const decide = (known: Case | null, owned: Owned, command: Command): Refusal | null => {
  if (known === null && command.type !== 'make') return 'unknown';
  // Also where everything is used up.
  if (command.type === 'delete' || command.type === 'unshare') return null;
  const adds = EVENT_BYTES + ('recordBytes' in command ? command.recordBytes : 0);
  if (owned.writtenBytes + adds > LIMITS.writtenBytes) return 'full';
  if (command.type === 'make')
    return owned.cases >= LIMITS.cases ? 'many_cases' : whyTooMuch([], command.textBytes);
  if (known === null || !('version' in command)) return null;
  if (command.version !== known.version) return 'changed';
  if (command.type === 'take') return whyTooMuch(known.done, command.textBytes);
  return (command.type === 'undo' ? known.done.length > 1 : known.undone.length > 0) ? null : 'nothing';
};

const whyTooMuch = (done: Case['done'], textBytes: number): Refusal | null => {
  if (done.length >= LIMITS.steps) return 'many_steps';
  const text = done.reduce((sum, piece) => sum + piece.textBytes, textBytes);
  return text > LIMITS.textBytes ? 'long_case' : null;
};
