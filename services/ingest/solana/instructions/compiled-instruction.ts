import { readU64 } from '../encoding/exact-integer.ts';

/** One instruction of the compiled form. `data` are overwritten by the next one: read, don't keep. */
export type CompiledInstruction = {
  data: Uint8Array;
  start: number;
  end: number;
  accounts: readonly number[];
};

/** An instruction with fewer accounts than it needs would have failed; −1 is refused as an account index. */
export const accountAt = ({ accounts }: CompiledInstruction, place: number): number => accounts[place] ?? -1;

/** The amount at that byte of its data. @throws TransactionFormatError `short_data` */
export const amountAt = ({ data, start, end }: CompiledInstruction, byte: number): bigint =>
  readU64(data, start + byte, end);
