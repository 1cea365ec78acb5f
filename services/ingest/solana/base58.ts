import { TransactionFormatError } from './transaction-format-error.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ONE = 49;
/** Four digits at a time: 58^4 times a 24-bit limb stays exact in a double. */
const CHUNK_BASE = 58 ** 4;
const LIMB_BASE = 2 ** 24;
const CHUNK_POWERS = [1, 58, 58 ** 2, 58 ** 3, CHUNK_BASE];

const DIGITS = new Int8Array(128).fill(-1);
for (let digit = 0; digit < 58; digit++) DIGITS[ALPHABET.charCodeAt(digit)] = digit;
/** Characters of each pair of digits, the first in the low byte; four digits are two look-ups. */
const PAIRS = new Uint16Array(58 * 58);
for (let pair = 0; pair < PAIRS.length; pair++)
  PAIRS[pair] = ALPHABET.charCodeAt(Math.floor(pair / 58)) | (ALPHABET.charCodeAt(pair % 58) << 8);
const PAIR_BASE = 58 * 58;
/** Multiplying by it and correcting the rare miss takes a third of a division. */
const CHUNK_INVERSE = 1 / CHUNK_BASE;

const encodeLimbs = new Float64Array(160);
const encoded = Buffer.alloc(640);
let decodeLimbs = new Float64Array(512);

/** Base58 of `length` bytes from `start`; at most 460 bytes. */
export const encodeBase58 = (bytes: Uint8Array, start: number, length: number): string => {
  const end = start + length;
  let first = start;
  while (first < end && bytes[first] === 0) first++;
  const used = toLimbs(bytes, first, end);
  let position = encoded.length;
  for (let i = 0; i < used; i++) {
    const limb = encodeLimbs[i] ?? 0;
    const high = Math.floor(limb / PAIR_BASE);
    const lower = PAIRS[limb - high * PAIR_BASE] ?? 0;
    const upper = PAIRS[high] ?? 0;
    position -= 4;
    encoded[position] = upper & 0xff;
    encoded[position + 1] = upper >> 8;
    encoded[position + 2] = lower & 0xff;
    encoded[position + 3] = lower >> 8;
  }
  while (position < encoded.length && encoded[position] === ONE) position++;
  for (let zeros = first - start; zeros > 0; zeros--) encoded[--position] = ONE;
  return encoded.toString('latin1', position);
};

/** Writes the bytes as digits of base 58^4 into `encodeLimbs`, lowest first; returns how many. */
const toLimbs = (bytes: Uint8Array, first: number, end: number): number => {
  let used = 0;
  // The leading group is short, so that all others are whole 24-bit words.
  let position = first;
  let width = (end - first) % 3 || 3;
  while (position < end) {
    let carry = bytes[position] ?? 0;
    for (let i = 1; i < width; i++) carry = carry * 256 + (bytes[position + i] ?? 0);
    position += width;
    width = 3;
    for (let i = 0; i < used; i++) {
      const value = (encodeLimbs[i] ?? 0) * LIMB_BASE + carry;
      carry = Math.floor(value * CHUNK_INVERSE);
      let rest = value - carry * CHUNK_BASE;
      if (rest < 0) {
        carry--;
        rest += CHUNK_BASE;
      } else if (rest >= CHUNK_BASE) {
        carry++;
        rest -= CHUNK_BASE;
      }
      encodeLimbs[i] = rest;
    }
    while (carry > 0) {
      const rest = Math.floor(carry / CHUNK_BASE);
      encodeLimbs[used++] = carry - rest * CHUNK_BASE;
      carry = rest;
    }
  }
  return used;
};

/**
 * Decodes base58 into `out` and returns the number of bytes.
 * @throws TransactionFormatError `bad_base58` on a character outside the alphabet or when `out` is too small
 */
export const decodeBase58Into = (text: string, out: Uint8Array): number => {
  const length = text.length;
  let zeros = 0;
  while (zeros < length && text.charCodeAt(zeros) === ONE) zeros++;
  if (length > decodeLimbs.length * 4) decodeLimbs = new Float64Array(length);
  const limbs = decodeLimbs;
  let used = 0;
  let position = zeros;
  while (position < length) {
    const width = Math.min(4, length - position);
    let carry = 0;
    for (let i = 0; i < width; i++) {
      const code = text.charCodeAt(position + i);
      const digit = code < 128 ? (DIGITS[code] ?? -1) : -1;
      if (digit < 0) throw new TransactionFormatError('bad_base58', 'instruction data is not base58');
      carry = carry * 58 + digit;
    }
    position += width;
    const base = CHUNK_POWERS[width] ?? CHUNK_BASE;
    for (let i = 0; i < used; i++) {
      const value = (limbs[i] ?? 0) * base + carry;
      carry = Math.floor(value / LIMB_BASE);
      limbs[i] = value - carry * LIMB_BASE;
    }
    if (carry > 0) limbs[used++] = carry;
  }
  return writeBytes(limbs, used, zeros, out);
};

/** `limbs` hold 24 bits each, lowest first; the highest may have leading zero bytes that do not count. */
const writeBytes = (limbs: Float64Array, used: number, zeros: number, out: Uint8Array): number => {
  const top = used === 0 ? 0 : (limbs[used - 1] ?? 0);
  const topBytes = top === 0 ? 0 : top > 0xffff ? 3 : top > 0xff ? 2 : 1;
  const length = zeros + (used === 0 ? 0 : (used - 1) * 3 + topBytes);
  if (length > out.length) throw new TransactionFormatError('bad_base58', `${length} bytes are too many`);
  out.fill(0, 0, zeros);
  let end = length;
  for (let i = 0; i < used; i++) {
    let limb = limbs[i] ?? 0;
    for (let byte = 0; byte < 3 && end > zeros; byte++) {
      out[--end] = limb & 0xff;
      limb >>>= 8;
    }
  }
  return length;
};
