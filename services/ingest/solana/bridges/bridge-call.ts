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
  /** Call depth: 1 for an instruction of the transaction, and if the node does not say. */
  readonly depth: number;
  /**
   * The row counts when it was called, and when it and its calls had ended or its program was called again;
   * without depths, when the transaction's instruction had ended.
   */
  readonly row: number;
  rowEnd: number;
  /** The same in movements: its own are those from `place` to before `placeEnd`. */
  place: number;
  placeEnd: number;
};

/** The owner and content of a token account. */
export type TokenHolding = { readonly owner: string; readonly asset: string | null };

/** One transaction of a bridge. */
export type BridgeContext = {
  readonly chain: string;
  readonly movements: readonly Movement[];
  readonly logs: readonly ProgramLog[];
  /** The call of a program's run; null if the log does not list all its calls. */
  readonly callOf: (run: ProgramRun) => BridgeCall | null;
};

/** A deposit also names the program that took the money. */
export type BridgeReading = {
  readonly transfer: Omit<BridgeTransfer, 'txIndex' | 'index'>;
  readonly program: string;
  /** Of a deposit: which movement took it; null if unknown. */
  readonly taken: number | null;
};

/** The first of a call's own movements that fits; null if none does. Others may be as large. */
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
