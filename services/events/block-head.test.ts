import { expect, test } from 'vitest';
import { loadSchema } from '../platform/avro/schemas.ts';
import { HEADER_BYTES, splitRecord, writeHeader } from '../platform/avro/wire-format.ts';
import { readHead } from './block-head.ts';
import { sequenceOf } from './event-sequence.ts';

const schema = loadSchema('BlockTransfers');
const { fields } = JSON.parse(schema.json) as { fields: { name: string; type: unknown }[] };

const columns = (extra: Record<string, unknown> = {}) => ({
  ...Object.fromEntries(
    fields.map(({ name, type }) => [
      name,
      typeof type === 'object' ? [] : type === 'string' ? '' : type === 'bytes' ? Buffer.alloc(0) : 0,
    ]),
  ),
  chain: 'base',
  block_number: 5_000_000_000,
  block_hash: '0xab',
  part: 1,
  parts: 3,
  ...extra,
});

const recordOf = (value: unknown): Buffer => {
  const record = Buffer.concat([Buffer.alloc(HEADER_BYTES), schema.type.toBuffer(value)]);
  writeHeader(record, 1);
  return record;
};

test('the head is read without the arrays behind it', () => {
  const head = { chain: 'base', blockNumber: 5_000_000_000, blockHash: '0xab', part: 1, parts: 3 };
  expect(readHead(splitRecord(recordOf(columns())).body)).toEqual(head);
});

test('a cut head is null at every length, never a wrong block', () => {
  const { body } = splitRecord(recordOf(columns()));
  const headBytes = 'base'.length + '0xab'.length + 2 + 5 + 2;
  for (let length = 0; length < headBytes; length += 1) expect(readHead(body.subarray(0, length))).toBeNull();
});

test('no two positions of any topic share an event number', () => {
  const positions = [
    { topic: 'transfers.head', partition: 15, offset: 1 },
    { topic: 'transfers.history', partition: 0, offset: 1 },
    { topic: 'transfers.history', partition: 7, offset: 1 },
    { topic: 'transfers.head', partition: 15, offset: 2 },
    { topic: 'transfers.head', partition: 0, offset: 2 ** 40 },
  ];
  const sequences = positions.map(sequenceOf);
  expect(new Set(sequences).size).toBe(positions.length);
  expect(sequences.every(Number.isSafeInteger)).toBe(true);
  expect(() => sequenceOf({ topic: 'nowhere', partition: 0, offset: 0 })).toThrow(RangeError);
});
