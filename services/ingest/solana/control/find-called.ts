import {
  BRIDGE,
  COMPRESSED_TOKEN,
  LIGHT_SYSTEM,
  METAPLEX,
  OTHER,
  programKind,
} from '../encoding/programs.ts';
import type { TransactionParts } from '../encoding/transaction-parts.ts';
import { endOfWireInstruction } from '../encoding/wire-transaction.ts';

/** Helper programs that everybody calls are left out. */
const COUNTED: readonly number[] = [OTHER, BRIDGE, METAPLEX, COMPRESSED_TOKEN, LIGHT_SYSTEM];

/** The programs that a transaction itself calls, once per instruction; nested calls belong to those. */
export const findCalled = ({ keys, wire, instructions }: TransactionParts): string[] => {
  const called: string[] = [];
  if (wire === null) {
    for (const { programIdIndex, programId } of instructions) {
      const name = typeof programIdIndex === 'number' ? keys.at(programIdIndex) : String(programId);
      if (COUNTED.includes(programKind(name))) called.push(name);
    }
    return called;
  }
  let position = wire.instructionsStart;
  for (let i = 0; i < wire.instructionCount; i++) {
    const at = wire.bytes[position] ?? -1;
    if (COUNTED.includes(keys.programKindAt(at))) called.push(keys.at(at));
    position = endOfWireInstruction(wire.bytes, position);
  }
  return called;
};
