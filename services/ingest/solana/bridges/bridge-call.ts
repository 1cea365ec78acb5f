import { sha256 } from '@noble/hashes/sha2.js';
import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import type { Movement } from '../../../investigate/model/movement.ts';
import type { ProgramLog, ProgramRun } from './read-program-logs.ts';

/** An instruction of a bridge's program. */
export type BridgeCall = {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
  /** Its token accounts as they were when it ran, by address. */
  readonly holdings: ReadonlyMap<string, TokenHolding>;
  /** How deep it was called: 1 for an instruction of the transaction itself, and where the node does not say. */
  readonly depth: number;
  /**
   * How many rows had been written when it was called, and when it and what it called had ended, or where its program was called
   * again; where the node tells no depths, when the transaction's instruction had ended.
   */
  readonly row: number;
  rowEnd: number;
  /** The same in movements: its own are those from `place` to before `placeEnd`. */
  place: number;
  placeEnd: number;
};

/** Whose a token account is, and what is in it. */
export type TokenHolding = { readonly owner: string; readonly asset: string | null };

/** One transaction of a bridge. */
export type BridgeContext = {
  readonly chain: string;
  readonly movements: readonly Movement[];
  readonly logs: readonly ProgramLog[];
  /** The call that a bridge's program ran for; null where the log does not tell of all of its calls. */
  readonly callOf: (run: ProgramRun) => BridgeCall | null;
};

/** A deposit also says which program took the money. */
export type BridgeReading = {
  readonly transfer: Omit<BridgeTransfer, 'txIndex' | 'index'>;
  readonly program: string;
  /** Of a deposit: which movement of the transaction took it; null where that is not known. */
  readonly taken: number | null;
};

/** Which of a call's own movements is the first that fits; null where none does. Others may be as large. */
export const findOwn = (
  { place, placeEnd }: BridgeCall,
  movements: readonly Movement[],
  fits: (row: Movement) => boolean,
): number | null => {
  const at = movements.slice(place, placeEnd).findIndex(fits);
  return at < 0 ? null : place + at;
};

export const MARK_BYTES = 8;

/** The first bytes of an event as Anchor's programs write it, in hex. */
export const markOf = (event: string): string =>
  Buffer.from(sha256(Buffer.from(`event:${event}`)).subarray(0, MARK_BYTES)).toString('hex');
