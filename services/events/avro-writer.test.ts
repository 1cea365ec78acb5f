import avsc from 'avsc';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../testing/any-text.ts';
import { AvroWriter } from './avro-writer.ts';

const written = (write: (out: AvroWriter) => void): Buffer => {
  const out = new AvroWriter();
  out.begin();
  write(out);
  return out.take();
};
const read = (type: avsc.Schema, bytes: Buffer): unknown => avsc.Type.forSchema(type).fromBuffer(bytes);
const toAmount = (bytes: Buffer): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
const readAmount = (bytes: Buffer): Buffer => read('bytes', bytes) as Buffer;

test('numbers are read as they were written', () => {
  const check = (value: number): void => {
    const bytes = written((out) => out.integer(value));
    expect(read('long', bytes)).toBe(value);
  };
  fc.assert(fc.property(fc.integer({ min: -(2 ** 52), max: 2 ** 52 }), check));
});

test('texts of any length and script are read as they were written', () => {
  const check = (text: string): void => {
    const bytes = written((out) => out.string(text));
    expect(read('string', bytes)).toBe(text);
  };
  const lengths = [0, 63, 64, 8_191, 8_192, 2_000_000];
  for (const length of lengths) for (const character of ['x', 'ä', '€']) check(character.repeat(length));
  fc.assert(fc.property(anyText({ maxLength: 200 }), check));
});

test('an amount of any size up to 256 bits survives as trimmed little-endian bytes', () => {
  const check = (amountRaw: bigint): void => {
    const bytes = readAmount(written((out) => out.amount(amountRaw)));
    expect(toAmount(bytes)).toBe(amountRaw);
    expect(bytes.at(-1)).not.toBe(0);
  };
  for (const bits of [0n, 8n, 16n, 24n, 32n, 64n, 128n, 192n])
    for (const off of [-1n, 0n]) check(2n ** bits + off);
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), check));
});

test('an amount below zero, or of more than 256 bits, is refused', () => {
  expect(() => written((out) => out.amount(-1n))).toThrow(RangeError);
  expect(() => written((out) => out.amount(2n ** 256n))).toThrow(RangeError);
});

test('what was begun before is not in what is taken', () => {
  const out = new AvroWriter();
  out.string('begun and given up');
  out.begin();
  out.array([1, 2, 3], (value) => out.integer(value));
  expect(read({ type: 'array', items: 'int' }, out.take())).toEqual([1, 2, 3]);
});
