import { AccountKeys } from './account-keys.ts';
import { applyCompiled, applyInstruction } from './apply-instructions.ts';
import type { CompiledInstruction } from './compiled-instruction.ts';
import type { Ledger } from './ledger.ts';
import { BRIDGE, OTHER, programKind } from './programs.ts';
import type { RawInstruction, RawMessage, RawMeta, RawTransaction } from './raw-block.ts';
import { TransactionFormatError } from './transaction-format-error.ts';
import {
  endOfWireInstruction,
  readWireInstruction,
  readWireTransaction,
  type WireTransaction,
  wireKeys,
  wireSignature,
} from './wire-transaction.ts';

/** A transaction in whichever encoding, ready to be replayed. */
export type TransactionParts = {
  readonly keys: AccountKeys;
  readonly wire: WireTransaction | null;
  readonly signatures: readonly string[] | null;
  readonly instructions: readonly RawInstruction[];
};

const NO_INSTRUCTIONS: readonly RawInstruction[] = [];
const NO_KEYS: readonly string[] = [];
// 64 bytes in base58.
export const SIGNATURE_LENGTH_MAX = 88;

/** @throws TransactionFormatError when the transaction has no shape of a known encoding */
export const readTransaction = (raw: RawTransaction, meta: RawMeta): TransactionParts => {
  const { transaction } = raw;
  // Before 2020-09 the default encoding was bare base58 text.
  if (typeof transaction === 'string') return readWire(transaction, 'base58', meta);
  if (Array.isArray(transaction)) return readWire(String(transaction[0]), String(transaction[1]), meta);
  return readMessage(transaction as { signatures: readonly string[]; message: RawMessage }, meta);
};

const readWire = (text: string, encoding: string, meta: RawMeta): TransactionParts => {
  const wire = readWireTransaction(text, encoding);
  const keys = wireKeys(wire, loadedKeys(meta));
  return { keys, wire, signatures: null, instructions: NO_INSTRUCTIONS };
};

const loadedKeys = ({ loadedAddresses }: RawMeta): readonly string[] => {
  if (!loadedAddresses) return NO_KEYS;
  const { writable, readonly } = loadedAddresses;
  if (!writable?.length && !readonly?.length) return NO_KEYS;
  return [...(writable ?? NO_KEYS), ...(readonly ?? NO_KEYS)];
};

const readMessage = (
  transaction: { readonly signatures: readonly string[]; readonly message: RawMessage },
  meta: RawMeta,
): TransactionParts => {
  const { signatures, message } = transaction;
  if (
    !Array.isArray(signatures) ||
    !Array.isArray(message?.accountKeys) ||
    !Array.isArray(message.instructions)
  )
    throw new TransactionFormatError('broken_transaction', 'the transaction has no message');
  const names: string[] = [];
  let isParsed = false;
  for (const key of message.accountKeys) {
    if (typeof key === 'string') names.push(key);
    else {
      isParsed = true;
      names.push(String(key?.pubkey));
    }
  }
  // jsonParsed lists the loaded keys among the others.
  if (!isParsed) for (const name of loadedKeys(meta)) names.push(name);
  const keys = new AccountKeys(names, null, 0, 0);
  return { keys, wire: null, signatures, instructions: message.instructions };
};

/** @throws TransactionFormatError `broken_transaction` when it has none */
export const signatureOf = ({ wire, signatures }: TransactionParts): string => {
  if (wire !== null) return wireSignature(wire);
  const signature = signatures?.[0];
  if (typeof signature !== 'string' || signature.length > SIGNATURE_LENGTH_MAX)
    throw new TransactionFormatError('broken_transaction', 'the transaction has no signature');
  return signature;
};

/** The first accounts are the signers, one for each signature. */
export const signersOf = ({ keys, wire, signatures }: TransactionParts): string[] => {
  const count = Math.min(keys.count, wire?.signatureCount ?? signatures?.length ?? 0);
  const signers: string[] = [];
  for (let i = 0; i < count; i++) signers.push(keys.at(i));
  return signers;
};

/** Whether every top-level instruction, of which there is one at least, calls a program of that kind. */
export const callsOnly = ({ keys, wire, instructions }: TransactionParts, kind: number): boolean => {
  if (wire === null) {
    for (const { programIdIndex, programId } of instructions) {
      const program =
        typeof programIdIndex === 'number'
          ? keys.programKindAt(programIdIndex)
          : programKind(String(programId));
      if (program !== kind) return false;
    }
    return instructions.length > 0;
  }
  let position = wire.instructionsStart;
  for (let i = 0; i < wire.instructionCount; i++) {
    if (keys.programKindAt(wire.bytes[position] ?? -1) !== kind) return false;
    position = endOfWireInstruction(wire.bytes, position);
  }
  return wire.instructionCount > 0;
};

const scratch: CompiledInstruction = { data: new Uint8Array(0), start: 0, end: 0, accounts: [] };

/** Applies all instructions in the order of execution: each top-level one, then those it called. */
export const replayInstructions = (ledger: Ledger, parts: TransactionParts): void => {
  const { wire, instructions } = parts;
  const count = wire?.instructionCount ?? instructions.length;
  const inner = groupsByCaller(ledger.meta.innerInstructions ?? [], count);
  let position = wire?.instructionsStart ?? 0;
  for (let i = 0; i < count; i++) {
    if (wire === null) applyInstruction(ledger, instructions[i] ?? {});
    else position = replayWire(ledger, wire.bytes, position);
    for (const group of inner?.get(i) ?? []) {
      for (const instruction of group.instructions) {
        if (typeof instruction.stackHeight === 'number') ledger.endBridgeCalls(instruction.stackHeight);
        applyInstruction(ledger, instruction);
      }
    }
    ledger.endBridgeCalls(1);
  }
};

/** Applies the instruction at `start`; returns where the next one starts. */
const replayWire = (ledger: Ledger, bytes: Uint8Array, start: number): number => {
  const { keys } = ledger;
  const at = bytes[start] ?? -1;
  const program = keys.programKindAt(at);
  if (program === OTHER) return endOfWireInstruction(bytes, start);
  const end = readWireInstruction(bytes, start, scratch);
  if (program === BRIDGE)
    ledger.noteBridgeCall(keys.at(at), scratch.accounts, Buffer.from(bytes.subarray(scratch.start, end)), 1);
  else applyCompiled(ledger, program, scratch);
  return end;
};

type InnerGroups = NonNullable<RawMeta['innerInstructions']>;

/** The calls of each of `count` top-level instructions; null where there are none. */
const groupsByCaller = (groups: InnerGroups, count: number): ReadonlyMap<number, InnerGroups> | null => {
  const callerOf = ({ index }: InnerGroups[number]): number => {
    if (Number.isInteger(index) && index >= 0 && index < count) return index;
    throw new TransactionFormatError('broken_transaction', `there is no instruction ${index} that called`);
  };
  return groups.length === 0 ? null : Map.groupBy(groups, callerOf);
};
