import type { CompiledInstruction } from '../instructions/compiled-instruction.ts';
import { TransactionFormatError } from '../transaction-format-error.ts';
import { AccountKeys } from './account-keys.ts';
import { decodeBase58Into, encodeBase58 } from './base58.ts';
import { readU32 } from './exact-integer.ts';
import { unknownVersion } from './known-version.ts';
import { readVersion1 } from './version-1.ts';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** The version flag before the message; the oldest version has none. */
const VERSION_FLAG = 0x80;
/** The first byte of a transaction from version 1 on; older ones begin with their number of signatures. */
const VERSION_1 = VERSION_FLAG + 1;

/**
 * Offsets in a transaction of wire form; nothing is copied out of `bytes`, which are valid until the next one is
 * read.
 */
export type WireTransaction = {
  readonly bytes: Uint8Array;
  readonly signatureCount: number;
  readonly signaturesStart: number;
  readonly keysStart: number;
  readonly keyCount: number;
  readonly instructionsStart: number;
  readonly instructionCount: number;
};

/** The end of the last compact integer; a second return value would allocate an object each time. */
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
  throw new TransactionFormatError('short_data', 'the transaction ends in the middle of a length');
};

/** @throws TransactionFormatError `unknown_encoding`, `bad_base58`, `bad_base64`, `short_data`, `unsupported_version` */
export const readWireTransaction = (text: string, encoding: string): WireTransaction => {
  const bytes = decodeText(text, encoding);
  const leading = bytes[0] ?? 0;
  if (leading === VERSION_1) return readVersion1(scratch, bytes.length);
  if (leading > VERSION_1) throw unknownVersion(leading - VERSION_FLAG);
  const signatureCount = readCompact(bytes, 0);
  const signaturesStart = cursor;
  let position = signaturesStart + signatureCount * SIGNATURE_BYTES;
  const first = bytes[position] ?? 0;
  if (first >= VERSION_FLAG) {
    if (first !== VERSION_FLAG) throw unknownVersion(first - VERSION_FLAG);
    position++;
  }
  const keyCount = readCompact(bytes, position + 3);
  const keysStart = cursor;
  const instructionCount = readCompact(bytes, keysStart + (keyCount + 1) * KEY_BYTES);
  return {
    ...{ bytes, signatureCount, signaturesStart, keysStart, keyCount },
    ...{ instructionsStart: cursor, instructionCount },
  };
};

/** Far above any transaction: 4,096 bytes from version 1 on. */
const WIRE_BYTES_MAX = 12_288;
const BASE64_DIGITS_MAX = 4 * Math.ceil(WIRE_BYTES_MAX / 3);

/** One shared instance: a block has thousands of transactions, read one at a time. */
const scratch = Buffer.alloc(WIRE_BYTES_MAX);

const decodeText = (text: string, encoding: string): Uint8Array => {
  if (encoding !== 'base64' && encoding !== 'base58')
    throw new TransactionFormatError('unknown_encoding', `transactions in ${encoding} cannot be read`);
  if (encoding === 'base58') return scratch.subarray(0, decodeBase58Into(text, scratch));
  if (text.length > BASE64_DIGITS_MAX)
    throw new TransactionFormatError('bad_base64', `${text.length} digits are more than a transaction has`);
  return scratch.subarray(0, scratch.write(text, 'base64'));
};

export const wireSignature = ({ bytes, signaturesStart }: WireTransaction): string =>
  encodeBase58(bytes, signaturesStart, SIGNATURE_BYTES);

export const wireKeys = (wire: WireTransaction, loaded: readonly string[]): AccountKeys => {
  const names = new Array<string | undefined>(wire.keyCount + loaded.length);
  for (let i = 0; i < loaded.length; i++) names[wire.keyCount + i] = loaded[i];
  return new AccountKeys(names, wire.bytes, wire.keysStart, wire.keyCount);
};

/**
 * The end of the instruction at `start`; its data start at `cursor`. The byte at `start`, its program's index, is
 * left to the caller.
 */
export const endOfWireInstruction = (bytes: Uint8Array, start: number): number => {
  const accountCount = readCompact(bytes, start + 1);
  const length = readCompact(bytes, cursor + accountCount);
  const end = cursor + length;
  if (end > bytes.length) throw new TransactionFormatError('short_data', 'the transaction is cut off');
  return end;
};

/** Reads the instruction at `start` into `into`; returns its end. */
export const readWireInstruction = (bytes: Uint8Array, start: number, into: CompiledInstruction): number => {
  into.data = bytes;
  into.end = endOfWireInstruction(bytes, start);
  into.start = cursor;
  const accounts = new Array<number>(readCompact(bytes, start + 1));
  for (let i = 0; i < accounts.length; i++) accounts[i] = bytes[cursor + i] ?? -1;
  into.accounts = accounts;
  return into.end;
};

/** The first four data bytes of each top-level instruction as a number; −1 if there are fewer. */
export const wireInstructionTags = ({
  bytes,
  instructionsStart,
  instructionCount,
}: WireTransaction): number[] => {
  const tags: number[] = [];
  let position = instructionsStart;
  for (let i = 0; i < instructionCount; i++) {
    position = endOfWireInstruction(bytes, position);
    tags.push(position - cursor < 4 ? -1 : readU32(bytes, cursor));
  }
  return tags;
};
