/** One instruction of the compiled form. `data` are overwritten by the next one: read, don't keep. */
export type CompiledInstruction = {
  data: Uint8Array;
  start: number;
  end: number;
  accounts: readonly number[];
};
