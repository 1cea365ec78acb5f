import { TransactionFormatError } from './transaction-format-error.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ONE = 49;
/** Four digits at a time: 58^4 times a 24-bit limb stays exact in a double. */
const CHUNK_BASE = 58 ** 4;
const LIMB_BASE = 2 ** 24;
const CHUNK_POWERS = [1, 58, 58 ** 2, 58 ** 3, CHUNK_BASE];

const DIGITS = new Int8Array(128).fill(-1);
for (let digit = 0; digit < 58; digit++) DIGITS[ALPHABET.charCodeAt(digit)] = digit;
/** The two characters of each pair of digits as they lie in memory; four digits are two look-ups. */
const PAIRS = new Uint16Array(
  Uint8Array.from({ length: 2 * 58 * 58 }, (_, at) =>
    ALPHABET.charCodeAt(at % 2 === 0 ? Math.floor(at / 2 / 58) : Math.floor(at / 2) % 58),
  ).buffer,
);
const PAIR_BASE = 58 * 58;
/** Multiplying by it and correcting the rare miss takes a third of a division. */
const CHUNK_INVERSE = 1 / CHUNK_BASE;

/** Sums of 40 products of a limb and a chunk stay exact in a double: 40 · 2^24 · 58^4 < 2^53. */
const ENCODE_LIMBS_MAX = 40;
const ENCODE_BYTES_MAX = 3 * ENCODE_LIMBS_MAX;
const CHUNKS_MAX = 41;

/** Row `i`: 2^(24i) in chunks of base 58^4, lowest first; how many of them follow in `CHUNKS_OF`. */
const POWERS = new Float64Array((ENCODE_LIMBS_MAX + 1) * CHUNKS_MAX);
const CHUNKS_OF = new Uint8Array(ENCODE_LIMBS_MAX + 1);
for (let i = 0, power = 1n; i <= ENCODE_LIMBS_MAX; i++, power *= BigInt(LIMB_BASE)) {
  let rest = power;
  let chunk = 0;
  for (; rest > 0n; rest /= BigInt(CHUNK_BASE))
    POWERS[i * CHUNKS_MAX + chunk++] = Number(rest % BigInt(CHUNK_BASE));
  CHUNKS_OF[i] = chunk;
}

const limbs = new Uint32Array(ENCODE_LIMBS_MAX + 1);
const chunks = new Float64Array(CHUNKS_MAX);
const encoded = Buffer.alloc(4 * CHUNKS_MAX + ENCODE_BYTES_MAX);
const encodedPairs = new Uint16Array(encoded.buffer, encoded.byteOffset, encoded.length / 2);
let decodeLimbs = new Float64Array(512);

/**
 * Base58 of `length` bytes from `start`.
 * @throws RangeError on more than 120 bytes: keys and signatures are 32 and 64
 */
export const encodeBase58 = (bytes: Uint8Array, start: number, length: number): string => {
  if (length > ENCODE_BYTES_MAX) throw new RangeError(`${length} bytes are too many for base58`);
  const end = start + length;
  let first = start;
  while (first < end && bytes[first] === 0) first++;
  const used = sumChunks(bytes, first, end);
  let position = encoded.length;
  let carry = 0;
  for (let i = 0; i < used; i++) {
    const value = (chunks[i] ?? 0) + carry;
    carry = Math.floor(value * CHUNK_INVERSE);
    let chunk = value - carry * CHUNK_BASE;
    if (chunk < 0) {
      carry--;
      chunk += CHUNK_BASE;
    } else if (chunk >= CHUNK_BASE) {
      carry++;
      chunk -= CHUNK_BASE;
    }
    const high = Math.floor(chunk / PAIR_BASE);
    position -= 4;
    encodedPairs[position >> 1] = PAIRS[high] ?? 0;
    encodedPairs[(position >> 1) + 1] = PAIRS[chunk - high * PAIR_BASE] ?? 0;
  }
  while (position < encoded.length && encoded[position] === ONE) position++;
  for (let zeros = first - start; zeros > 0; zeros--) encoded[--position] = ONE;
  return encoded.toString('latin1', position);
};

/**
 * Adds up the powers that the 24-bit limbs stand for, without a carry from one chunk to the next: these sums do not wait
 * for one another, as the digits of a long division do. Returns how many chunks the number may take.
 */
const sumChunks = (bytes: Uint8Array, first: number, end: number): number => {
  const count = readLimbs(bytes, first, end);
  if (count === 0) return 0;
  // The number is below the next power.
  const used = CHUNKS_OF[count] ?? 0;
  chunks.fill(0, 0, used);
  // Two at a time, so that each sum is loaded and stored half as often.
  for (let i = 0; i < count; i += 2) {
    const lower = limbs[i] ?? 0;
    const upper = limbs[i + 1] ?? 0;
    const row = i * CHUNKS_MAX;
    const next = row + CHUNKS_MAX;
    const width = CHUNKS_OF[i + 1] ?? 0;
    for (let chunk = 0; chunk < width; chunk++)
      chunks[chunk] =
        (chunks[chunk] ?? 0) + lower * (POWERS[row + chunk] ?? 0) + upper * (POWERS[next + chunk] ?? 0);
  }
  return used;
};

/** Lowest first, with a zero above them. */
const readLimbs = (bytes: Uint8Array, first: number, end: number): number => {
  let count = 0;
  let low = end - 1;
  for (; low >= first + 2; low -= 3)
    limbs[count++] = (bytes[low] ?? 0) | ((bytes[low - 1] ?? 0) << 8) | ((bytes[low - 2] ?? 0) << 16);
  if (low >= first) limbs[count++] = (bytes[low] ?? 0) | (low > first ? (bytes[low - 1] ?? 0) << 8 : 0);
  limbs[count] = 0;
  return count;
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
