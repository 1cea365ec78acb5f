const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));

type Number58 = { readonly value: bigint; readonly leadingZeros: number; readonly byteLength: number };

const readNumber = (text: string): Number58 | null => {
  let value = 0n;
  let leadingZeros = 0;
  for (const character of text) {
    const digit = DIGITS.get(character);
    if (digit === undefined) return null;
    if (value === 0n && digit === 0) leadingZeros += 1;
    value = value * 58n + BigInt(digit);
  }
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2);
  return { value, leadingZeros, byteLength: leadingZeros + bytes };
};

/**
 * The number of bytes a base58 text stands for (Bitcoin's alphabet, as Solana writes keys and signatures); null where a
 * character is not in the alphabet. Leading `1`s are zero bytes. Quadratic in its length: bound the text first.
 */
export const base58ByteLength = (text: string): number | null => readNumber(text)?.byteLength ?? null;

/** The bytes that a base58 text stands for, as `base58ByteLength` counts them; null where it is none. */
export const decodeBase58 = (text: string): Uint8Array | null => {
  const number = readNumber(text);
  if (number === null) return null;
  const bytes = new Uint8Array(number.byteLength);
  let { value } = number;
  for (let at = bytes.length - 1; value > 0n; at--) {
    bytes[at] = Number(value & 0xffn);
    value >>= 8n;
  }
  return bytes;
};
