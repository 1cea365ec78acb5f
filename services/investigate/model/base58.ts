const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));

/**
 * The number of bytes a base58 text stands for (Bitcoin's alphabet, as Solana writes keys and signatures); null where a
 * character is not in the alphabet. Leading `1`s are zero bytes. Quadratic in its length: bound the text first.
 */
export const base58ByteLength = (text: string): number | null => {
  let value = 0n;
  let leadingZeros = 0;
  for (const character of text) {
    const digit = DIGITS.get(character);
    if (digit === undefined) return null;
    if (value === 0n && digit === 0) leadingZeros += 1;
    value = value * 58n + BigInt(digit);
  }
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2);
  return leadingZeros + bytes;
};
