import type { AccountKeys } from '../encoding/account-keys.ts';
import { IDLE, programKind, STAKE, SYSTEM, TOKEN, VOTE } from '../encoding/programs.ts';
import type { RawInstruction, RawMeta } from '../encoding/raw-block.ts';
import type { TransactionParts } from '../encoding/transaction-parts.ts';
import { readWireInstruction } from '../encoding/wire-transaction.ts';
import { TransactionFormatError } from '../transaction-format-error.ts';
import type { CompiledInstruction } from './compiled-instruction.ts';

type Group = NonNullable<RawMeta['innerInstructions']>[number];
type Calls = ReadonlyMap<number, readonly RawInstruction[]>;

/**
 * The nested calls of each top-level instruction, by index; null if none. Blocks of 2020 list all calls once for
 * each instruction (solana-labs/solana#13379): each is assigned to an instruction that can have made it. @throws
 * TransactionFormatError `broken_transaction` if a list belongs to no instruction
 */
export const callsByCaller = (
  groups: readonly Group[],
  parts: TransactionParts,
  isBeforeMend: boolean,
): Calls | null => {
  if (groups.length === 0) return null;
  const count = parts.wire?.instructionCount ?? parts.instructions.length;
  const calls = new Map<number, readonly RawInstruction[]>();
  for (const { index, instructions } of groups) {
    if (!Number.isInteger(index) || index < 0 || index >= count)
      throw new TransactionFormatError(
        'broken_transaction',
        `calls are listed for instruction ${index}, which does not exist`,
      );
    const listed = calls.get(index);
    if (listed === undefined) calls.set(index, instructions);
    else if (!isSame(listed, instructions)) calls.set(index, [...listed, ...instructions]);
  }
  return isListedForEach(calls, count) ? shareOut(calls, parts, count, isBeforeMend) : calls;
};

const isSame = (a: readonly RawInstruction[], b: readonly RawInstruction[]): boolean =>
  a.length === b.length && JSON.stringify(a) === JSON.stringify(b);

const isListedForEach = (calls: Calls, count: number): boolean => {
  const first = calls.get(0);
  if (count < 2 || calls.size !== count || !first?.length) return false;
  return calls.values().every((listed) => isSame(listed, first));
};

/** Instructions of one program with equal accounts may make equal calls: since the fix lists are believed. */
const shareOut = (calls: Calls, parts: TransactionParts, count: number, isBeforeMend: boolean): Calls => {
  const all = calls.get(0) ?? [];
  const callers = callersOf(parts, count);
  const used = all.map((call) => accountsOf(call, parts.keys));
  const canCall = ({ mayCall, accounts }: Caller, call: ReadonlySet<number>): boolean =>
    mayCall && call.isSubsetOf(accounts);
  const isPossible = callers.every((caller) => used.every((call) => canCall(caller, call)));
  if (isPossible && !isBeforeMend) return calls;
  const shared = new Map<number, RawInstruction[]>();
  let at = Math.max(
    0,
    callers.findIndex(({ mayCall }) => mayCall),
  );
  for (const [i, call] of all.entries()) {
    const accounts = used[i] ?? new Set();
    const fitting = callers.findIndex((caller, place) => place >= at && canCall(caller, accounts));
    // Calls are listed in execution order.
    if (fitting >= 0) at = fitting;
    const own = shared.get(at) ?? [];
    own.push(call);
    shared.set(at, own);
  }
  return shared;
};

type Caller = { readonly mayCall: boolean; readonly accounts: ReadonlySet<number> };

/** Token-2022 calls hooks. */
const NEVER_CALL: readonly number[] = [SYSTEM, TOKEN, VOTE, STAKE, IDLE];
const mayCall = (kind: number): boolean => !NEVER_CALL.includes(kind);

const scratch: CompiledInstruction = { data: new Uint8Array(0), start: 0, end: 0, accounts: [] };

const callersOf = ({ keys, wire, instructions }: TransactionParts, count: number): Caller[] => {
  if (wire === null)
    return instructions.map((instruction) => {
      const { programIdIndex, programId } = instruction;
      const kind =
        typeof programIdIndex === 'number'
          ? keys.programKindAt(programIdIndex)
          : programKind(String(programId));
      return { mayCall: mayCall(kind), accounts: accountsOf(instruction, keys) };
    });
  const callers: Caller[] = [];
  let position = wire.instructionsStart;
  for (let i = 0; i < count; i++) {
    const kind = keys.programKindAt(wire.bytes[position] ?? -1);
    position = readWireInstruction(wire.bytes, position, scratch);
    callers.push({ mayCall: mayCall(kind), accounts: new Set(scratch.accounts) });
  }
  return callers;
};

/** Fields of parsed instructions that always name a passed account; owners and authorities may be data. */
const HANDED_OVER = ['source', 'destination', 'account', 'newAccount', 'mint'] as const;

/** By index; for a parsed instruction only the certain ones. */
const accountsOf = ({ accounts, parsed }: RawInstruction, keys: AccountKeys): ReadonlySet<number> => {
  if (Array.isArray(accounts))
    return new Set(
      accounts.map((account) => (typeof account === 'number' ? account : keys.indexOf(account))),
    );
  const indexes = new Set<number>();
  const info = typeof parsed === 'object' && parsed !== null && 'info' in parsed ? parsed.info : null;
  for (const field of HANDED_OVER) {
    const index = keys.find((info as Readonly<Record<string, unknown>> | null)?.[field]);
    if (index !== undefined) indexes.add(index);
  }
  return indexes;
};
