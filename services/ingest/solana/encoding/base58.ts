import { TransactionFormatError } from '../transaction-format-error.ts';

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

const DIGITS_PER_BYTE = Math.log(256) / Math.log(58);

/** Sums of 40 products of a limb and a chunk stay exact in a double: 40 · 2^24 · 58^4 < 2^53. */
const ENCODE_LIMBS_MAX = 40;
const ENCODE_BYTES_MAX = 3 * ENCODE_LIMBS_MAX;
const CHUNKS_MAX = 41;

/** The chunks of base 58^4 of 2^(24i), lowest first. */
const chunksOfLimb = (i: number): readonly number[] => {
  const chunks: number[] = [];
  for (let rest = BigInt(LIMB_BASE) ** BigInt(i); rest > 0n; rest /= BigInt(CHUNK_BASE))
    chunks.push(Number(rest % BigInt(CHUNK_BASE)));
  return chunks;
};

const POWERS = Array.from({ length: ENCODE_LIMBS_MAX + 1 }, (_, i) => chunksOfLimb(i));
/** The maximum number of chunks for this many limbs. */
const CHUNKS_OF = Uint8Array.from(POWERS, (chunks) => chunks.length);
/** Row `chunk`: the weight of each limb in it. `FIRST_LIMB` has the first limb with a weight. */
const WEIGHTS = Float64Array.from(
  { length: CHUNKS_MAX * ENCODE_LIMBS_MAX },
  (_, at) => POWERS[at % ENCODE_LIMBS_MAX]?.[Math.floor(at / ENCODE_LIMBS_MAX)] ?? 0,
);
const FIRST_LIMB = Uint8Array.from({ length: CHUNKS_MAX }, (_, chunk) =>
  POWERS.findIndex((chunks) => chunks.length > chunk),
);

const limbs = new Float64Array(ENCODE_LIMBS_MAX);
const encoded = Buffer.alloc(4 * CHUNKS_MAX + ENCODE_BYTES_MAX);
const encodedPairs = new Uint16Array(encoded.buffer, encoded.byteOffset, encoded.length / 2);
let decodeLimbs = new Float64Array(512);

/**
 * Base58 of `length` bytes from `start`. Each chunk of digits is an independent sum of products, unlike the digits
 * of a long division. @throws RangeError above 120 bytes: keys and signatures are 32 and 64
 */
export const encodeBase58 = (bytes: Uint8Array, start: number, length: number): string => {
  if (length > ENCODE_BYTES_MAX) throw new RangeError(`${length} bytes are too many for base58`);
  const end = start + length;
  let first = start;
  while (first < end && bytes[first] === 0) first++;
  const count = readLimbs(bytes, first, end);
  const used = CHUNKS_OF[count] ?? 0;
  let position = encoded.length;
  let carry = 0;
  for (let i = 0; i < used; i++) {
    const value = sumChunk(i, count) + carry;
    // Exact: below 2^53 no quotient is so near to the next integer that it would be rounded to it.
    carry = Math.floor(value / CHUNK_BASE);
    // Integers, whose division by a constant is a multiplication.
    const chunk = (value - carry * CHUNK_BASE) | 0;
    const high = (chunk / PAIR_BASE) | 0;
    position -= 4;
    encodedPairs[position >> 1] = PAIRS[high] ?? 0;
    encodedPairs[(position >> 1) + 1] = PAIRS[chunk - high * PAIR_BASE] ?? 0;
  }
  while (position < encoded.length && encoded[position] === ONE) position++;
  for (let zeros = first - start; zeros > 0; zeros--) encoded[--position] = ONE;
  return encoded.toString('latin1', position);
};

/** The limbs' contribution to one chunk, without carries. */
const sumChunk = (chunk: number, count: number): number => {
  const row = chunk * ENCODE_LIMBS_MAX;
  let sum = 0;
  for (let i = FIRST_LIMB[chunk] ?? 0; i < count; i++) sum += (limbs[i] ?? 0) * (WEIGHTS[row + i] ?? 0);
  return sum;
};

/** 24 bits each, lowest first; returns their number. */
const readLimbs = (bytes: Uint8Array, first: number, end: number): number => {
  let count = 0;
  let low = end - 1;
  for (; low >= first + 2; low -= 3)
    limbs[count++] = (bytes[low] ?? 0) | ((bytes[low - 1] ?? 0) << 8) | ((bytes[low - 2] ?? 0) << 16);
  if (low >= first) limbs[count++] = (bytes[low] ?? 0) | (low > first ? (bytes[low - 1] ?? 0) << 8 : 0);
  return count;
};

/**
 * Decodes base58 into `out` and returns the number of bytes. @throws TransactionFormatError `bad_base58` for a
 * wrong character or a small `out`
 */
export const decodeBase58Into = (text: string, out: Uint8Array): number => {
  const length = text.length;
  // Checked first, because the work grows with the square of the length.
  if (length > out.length * DIGITS_PER_BYTE + 1)
    throw new TransactionFormatError('bad_base58', `${length} digits are more than ${out.length} bytes`);
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

/** The number of digits that are exact in a double. */
const LEADING_DIGITS = 9;
const BITS_PER_DIGIT = Math.log2(58);
const LEADING_LENGTH_MAX = 16_384;
/** Four times the accumulated rounding error at that length, relative to the number. */
const DOUBT = 2 ** -34;

/**
 * The first four bytes of the decoded text, highest first, from its length and first digits. null if these do not
 * decide: the next number is too near, a digit is wrong, the text is short, very long or begins with a zero.
 */
export const readLeadingU32 = (text: string): number | null => {
  const { length } = text;
  if (length < LEADING_DIGITS || length > LEADING_LENGTH_MAX || text.charCodeAt(0) === ONE) return null;
  let leading = 0;
  for (let i = 0; i < LEADING_DIGITS; i++) {
    const code = text.charCodeAt(i);
    const digit = code < 128 ? (DIGITS[code] ?? -1) : -1;
    if (digit < 0) return null;
    leading = leading * 58 + digit;
  }
  const bits = Math.log2(leading) + (length - LEADING_DIGITS) * BITS_PER_DIGIT;
  const value = 2 ** (24 + (bits % 8));
  const whole = Math.floor(value);
  const doubt = value * DOUBT;
  return value - whole > doubt && whole + 1 - value > doubt ? whole : null;
};

/** `limbs` hold 24 bits each, lowest first; the highest may have leading zero bytes. */
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
