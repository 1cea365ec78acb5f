import { expect, test } from 'vitest';
import { splitRecord, WireFormatError, writeHeader } from './wire-format.ts';

test('a record without the header is refused with the reason', () => {
  expect(() => splitRecord(Buffer.from([0, 0, 0]))).toThrow(WireFormatError);
  expect(() => splitRecord(Buffer.from([1, 0, 0, 0, 1, 2]))).toThrow('starts with byte 1');
});

test('a header says which schema follows', () => {
  const record = Buffer.alloc(8, 7);
  writeHeader(record, 300);
  expect(splitRecord(record)).toEqual({ schemaId: 300, body: Buffer.from([7, 7, 7]) });
});
