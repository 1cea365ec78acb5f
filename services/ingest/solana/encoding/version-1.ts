import { TransactionFormatError } from '../transaction-format-error.ts';
import { readU32 } from './exact-integer.ts';

/** SIMD-0385: version byte, three header counts, the mask of settings, and the blockhash. */
const MASK_AT = 4;
const COUNTS_AT = 40;
const KEYS_AT = 42;
const KEY_BYTES = 32;
const SETTING_BYTES = 4;
const HEADER_BYTES = 4;
const SIGNATURE_BYTES = 64;
/** SIMD-0296. */
const BYTES_MAX = 4_096;

const settingsIn = (mask: number): number => {
  let count = 0;
  for (let rest = mask; rest !== 0; rest >>>= 1) count += rest & 1;
  return count;
};

/**
 * Offsets in a transaction of version 1, the first `length` bytes of `room`. Its accounts and data stand apart
 * from its instructions' heads, so the instructions are written after it in the older form. @throws
 * TransactionFormatError `short_data` if its parts do not fill it exactly
 */
export const readVersion1 = (room: Uint8Array, length: number) => {
  if (length < KEYS_AT || length > BYTES_MAX) throw unfitting();
  const signatureCount = room[1] ?? 0;
  const instructionCount = room[COUNTS_AT] ?? 0;
  const keyCount = room[COUNTS_AT + 1] ?? 0;
  const settingsStart = KEYS_AT + keyCount * KEY_BYTES;
  const headersStart = settingsStart + settingsIn(readU32(room, MASK_AT)) * SETTING_BYTES;
  const payloadsStart = headersStart + instructionCount * HEADER_BYTES;
  const signaturesStart = length - signatureCount * SIGNATURE_BYTES;
  if (payloadsStart > signaturesStart) throw unfitting();
  let payload = payloadsStart;
  let end = length;
  for (let i = 0; i < instructionCount; i++) {
    const header = headersStart + i * HEADER_BYTES;
    const accounts = payload + (room[header + 1] ?? 0);
    const next = accounts + (room[header + 2] ?? 0) + (room[header + 3] ?? 0) * 256;
    if (next > signaturesStart) throw unfitting();
    room[end] = room[header] ?? 0;
    end = copyList(room, end + 1, payload, accounts);
    end = copyList(room, end, accounts, next);
    payload = next;
  }
  if (payload !== signaturesStart) throw unfitting();
  return {
    bytes: room.subarray(0, end),
    ...{ signatureCount, signaturesStart, keysStart: KEYS_AT, keyCount },
    ...{ instructionsStart: length, instructionCount },
  };
};

/** Writes a list with a compact length, and returns its end. */
const copyList = (room: Uint8Array, at: number, from: number, to: number): number => {
  let position = at;
  let rest = to - from;
  for (; rest > 0x7f; rest >>= 7) room[position++] = (rest & 0x7f) | 0x80;
  room[position++] = rest;
  room.copyWithin(position, from, to);
  return position + to - from;
};

const unfitting = (): TransactionFormatError =>
  new TransactionFormatError('short_data', 'the parts of the transaction do not fill it exactly');
