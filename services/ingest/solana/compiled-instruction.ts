/** One instruction of the compiled form. `data` are overwritten by the next one: read, don't keep. */
export type CompiledInstruction = {
  data: Uint8Array;
  start: number;
  end: number;
  accounts: readonly number[];
};

/** An instruction with fewer accounts than it needs would have failed; −1 is refused as an account index. */
export const accountAt = ({ accounts }: CompiledInstruction, position: number): number =>
  accounts[position] ?? -1;
