import { AccountKeys } from './account-keys.ts';
import { decodeBase58Into, encodeBase58 } from './base58.ts';
import type { CompiledInstruction } from './compiled-instruction.ts';
import { TransactionFormatError } from './transaction-format-error.ts';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const VERSION_FLAG = 0x80;

/** A transaction in wire form with the positions of what the decoder reads; nothing is copied out of `bytes`. */
export type WireTransaction = {
  readonly bytes: Uint8Array;
  readonly signatureCount: number;
  readonly keysStart: number;
  readonly keyCount: number;
  readonly instructionsStart: number;
  readonly instructionCount: number;
};

/** Position of the last compact integer's end; a second return value would cost an object for each of them. */
let cursor = 0;

const readCompact = (bytes: Uint8Array, start: number): number => {
  let value = 0;
  for (let i = 0; i < 3; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) break;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      cursor = start + i + 1;
      return value;
    }
  }
  throw new TransactionFormatError('short_data', 'the transaction ends within a length');
};

/** @throws TransactionFormatError `unknown_encoding`, `short_data`, `unsupported_version` */
export const readWireTransaction = (text: string, encoding: string): WireTransaction => {
  const bytes = decodeText(text, encoding);
  const signatureCount = readCompact(bytes, 0);
  let position = cursor + signatureCount * SIGNATURE_BYTES;
  const first = bytes[position] ?? 0;
  if (first >= VERSION_FLAG) {
    if (first !== VERSION_FLAG)
      throw new TransactionFormatError('unsupported_version', `transaction version ${first - VERSION_FLAG}`);
    position++;
  }
  const keyCount = readCompact(bytes, position + 3);
  const keysStart = cursor;
  const instructionCount = readCompact(bytes, keysStart + (keyCount + 1) * KEY_BYTES);
  return { bytes, signatureCount, keysStart, keyCount, instructionsStart: cursor, instructionCount };
};

const decodeText = (text: string, encoding: string): Uint8Array => {
  if (encoding === 'base64') return Buffer.from(text, 'base64');
  if (encoding !== 'base58')
    throw new TransactionFormatError('unknown_encoding', `transactions in ${encoding} cannot be read`);
  const out = new Uint8Array(text.length);
  return out.subarray(0, decodeBase58Into(text, out));
};

export const wireSignature = ({ bytes }: WireTransaction): string => encodeBase58(bytes, 1, SIGNATURE_BYTES);

export const wireKeys = (wire: WireTransaction, loaded: readonly string[]): AccountKeys => {
  const names = new Array<string | undefined>(wire.keyCount).fill(undefined);
  for (const name of loaded) names.push(name);
  return new AccountKeys(names, wire.bytes, wire.keysStart, wire.keyCount);
};

/**
 * Reads the instruction at `start` into `into`; returns where the next one starts.
 * `into.program` is left to the caller: the first byte at `start` is its account index.
 */
export const readWireInstruction = (bytes: Uint8Array, start: number, into: CompiledInstruction): number => {
  const accountCount = readCompact(bytes, start + 1);
  const accountsStart = cursor;
  const { accounts } = into;
  accounts.length = 0;
  for (let i = 0; i < accountCount; i++) accounts.push(bytes[accountsStart + i] ?? -1);
  const length = readCompact(bytes, accountsStart + accountCount);
  into.data = bytes;
  into.start = cursor;
  into.end = cursor + length;
  if (into.end > bytes.length) throw new TransactionFormatError('short_data', 'the transaction is cut off');
  return into.end;
};
