/** One instruction of the compiled form. `data` and `accounts` are reused by the next one: read, don't keep. */
export type CompiledInstruction = {
  data: Uint8Array;
  start: number;
  end: number;
  readonly accounts: number[];
};
