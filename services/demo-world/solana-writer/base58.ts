const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));

export const encodeBase58 = (bytes: Uint8Array): string => {
  const digits: number[] = [];
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  for (const byte of bytes.subarray(zeros)) {
    let carry = byte;
    for (let at = 0; at < digits.length; at++) {
      carry += (digits[at] ?? 0) * 256;
      digits[at] = carry % 58;
      carry = Math.floor(carry / 58);
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58);
  }
  let text = '1'.repeat(zeros);
  for (let at = digits.length - 1; at >= 0; at--) text += ALPHABET[digits[at] ?? 0];
  return text;
};

/** Throws a RangeError on a character outside the alphabet. */
export const decodeBase58 = (text: string): Uint8Array => {
  const bytes: number[] = [];
  let zeros = 0;
  while (text[zeros] === '1') zeros++;
  for (const character of text.slice(zeros)) {
    let carry = DIGITS.get(character);
    if (carry === undefined) throw new RangeError(`not base58: ${character}`);
    for (let at = 0; at < bytes.length; at++) {
      carry += (bytes[at] ?? 0) * 58;
      bytes[at] = carry & 255;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 255);
  }
  const decoded = new Uint8Array(zeros + bytes.length);
  for (const [at, byte] of bytes.entries()) decoded[decoded.length - 1 - at] = byte;
  return decoded;
};
