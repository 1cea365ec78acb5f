import { readU64 } from '../encoding/exact-integer.ts';

/** One compiled instruction. `data` are overwritten by the next one: do not keep them. */
export type CompiledInstruction = {
  data: Uint8Array;
  start: number;
  end: number;
  accounts: readonly number[];
};

/** An instruction with too few accounts would have failed; −1 is refused as an account index. */
export const accountAt = ({ accounts }: CompiledInstruction, place: number): number => accounts[place] ?? -1;

/** The amount at this byte of its data. @throws TransactionFormatError `short_data` */
export const amountAt = ({ data, start, end }: CompiledInstruction, byte: number): bigint =>
  readU64(data, start + byte, end);
