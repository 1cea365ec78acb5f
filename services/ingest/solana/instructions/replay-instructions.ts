import { BRIDGE, isSilent } from '../encoding/programs.ts';
import type { TransactionParts } from '../encoding/transaction-parts.ts';
import { endOfWireInstruction, readWireInstruction } from '../encoding/wire-transaction.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { applyCompiled, applyInstruction } from './apply-instructions.ts';
import type { CompiledInstruction } from './compiled-instruction.ts';
import { callsByCaller } from './inner-calls.ts';

const scratch: CompiledInstruction = { data: new Uint8Array(0), start: 0, end: 0, accounts: [] };

/** Applies all instructions in execution order: each top-level one, then its nested calls. */
export const replayInstructions = (ledger: Ledger, parts: TransactionParts): void => {
  const { wire, instructions } = parts;
  const count = wire?.instructionCount ?? instructions.length;
  const calls = callsByCaller(ledger.meta.innerInstructions ?? [], parts, ledger.knowledge.isBeforeCallsMend);
  let position = wire?.instructionsStart ?? 0;
  for (let i = 0; i < count; i++) {
    if (wire === null) applyInstruction(ledger, instructions[i] ?? {});
    else position = replayWire(ledger, wire.bytes, position);
    for (const instruction of calls?.get(i) ?? []) {
      if (typeof instruction.stackHeight === 'number') ledger.endBridgeCalls(instruction.stackHeight);
      applyInstruction(ledger, instruction);
    }
    ledger.endBridgeCalls(1);
  }
};

/** Applies the instruction at `start`; returns its end. */
const replayWire = (ledger: Ledger, bytes: Uint8Array, start: number): number => {
  const { keys } = ledger;
  const at = bytes[start] ?? -1;
  const program = keys.programKindAt(at);
  if (isSilent(program)) return endOfWireInstruction(bytes, start);
  const end = readWireInstruction(bytes, start, scratch);
  if (program === BRIDGE)
    ledger.noteBridgeCall(keys.at(at), scratch.accounts, Buffer.from(bytes.subarray(scratch.start, end)), 1);
  else applyCompiled(ledger, program, scratch);
  return end;
};
