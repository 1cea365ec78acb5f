import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransactionFormatError } from '../transaction-format-error.ts';
import { decodeBase58Into, encodeBase58, readLeadingU32 } from './base58.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The textbook way, one digit at a time. */
const encodeSlowly = (bytes: Uint8Array): string => {
  let value = 0n;
  for (const byte of bytes) value = value * 256n + BigInt(byte);
  let text = '';
  for (; value > 0n; value /= 58n) text = ALPHABET.charAt(Number(value % 58n)) + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
};

const decode = (text: string): Uint8Array => {
  const out = new Uint8Array(2000);
  return out.slice(0, decodeBase58Into(text, out));
};

const someBytes = fc
  .tuple(fc.uint8Array({ maxLength: 115 }), fc.nat(5))
  .map(([bytes, zeros]) => new Uint8Array([...new Uint8Array(zeros), ...bytes]));

test('bytes are written as base58 just as the textbook does it', () => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      const padded = new Uint8Array([7, 7, ...bytes, 9]);
      expect(encodeBase58(padded, 2, bytes.length)).toBe(encodeSlowly(bytes));
    }),
    { numRuns: 500 },
  );
});

test('what is written as base58 is read back as the same bytes', () => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      expect(decode(encodeSlowly(bytes))).toEqual(bytes);
    }),
    { numRuns: 500 },
  );
});

test('the extremes of every length, keys and signatures among them, are exact', () => {
  for (let length = 0; length <= 120; length++) {
    for (const fill of [0, 1, 255]) {
      const bytes = new Uint8Array(length).fill(fill);
      expect(encodeBase58(bytes, 0, length)).toBe(encodeSlowly(bytes));
      expect(decode(encodeSlowly(bytes))).toEqual(bytes);
    }
  }
});

test('a character outside the alphabet and data that do not fit are refused', () => {
  expect(() => decode('0OIl')).toThrow(TransactionFormatError);
  expect(() => decode('é')).toThrow(TransactionFormatError);
  expect(() => decodeBase58Into('zzzzzzzz', new Uint8Array(3))).toThrow(TransactionFormatError);
  expect(() => encodeBase58(new Uint8Array(121), 0, 121)).toThrow(RangeError);
});

test('the first four bytes that are told from the first digits are those of the whole, and hardly ever left open', () => {
  const edge = fc.constantFrom(0, 1, 127, 254, 255);
  const bytes = fc
    .tuple(fc.array(fc.oneof(edge, fc.nat(255)), { minLength: 8, maxLength: 8 }), fc.nat(700), edge)
    .map(([first, length, fill]) => new Uint8Array([...first, ...new Uint8Array(length).fill(fill)]));
  fc.assert(
    fc.property(bytes, (whole) => {
      const leading = readLeadingU32(encodeSlowly(whole));
      if (leading !== null) expect(leading).toBe(Buffer.from(whole).readUInt32BE());
    }),
    { numRuns: 2_000 },
  );
  const open = Array.from({ length: 256 }, (_, next) =>
    readLeadingU32(encodeSlowly(new Uint8Array([14, 0, 0, 0, next, ...new Uint8Array(143).fill(7)]))),
  ).filter((leading) => leading === null);
  expect(open.length).toBeLessThan(10);
});

test('where the first digits do not tell the first four bytes nothing is said of them', () => {
  for (const text of ['', '2', '222 22222', `${'2'.repeat(8)}é`, '1'.repeat(40), '2'.repeat(20_000)])
    expect(readLeadingU32(text)).toBe(null);
});
