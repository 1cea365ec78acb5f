import { expect, test } from 'vitest';
import type { StoredRecord } from './event-log/event-log.ts';
import { releaseValues } from './release-buffers.ts';

const recordOf = (value: Buffer): StoredRecord => ({
  ...{ topic: 't', partition: 0, offset: 0, key: '', value, headers: {}, timeUnixMs: 0 },
});

test('a value that has a buffer of its own is gone', () => {
  const record = recordOf(Buffer.alloc(100_000, 7));
  releaseValues([record]);
  expect(record.value).toHaveLength(0);
});

test('values that share a buffer with others stay, whoever else holds it', () => {
  const answer = Buffer.alloc(100, 7);
  const pieces = [
    recordOf(answer.subarray(0, 50)),
    recordOf(answer.subarray(50)),
    recordOf(Buffer.from('pooled')),
  ];
  releaseValues(pieces);
  expect(pieces.map(({ value }) => value.length)).toEqual([50, 50, 6]);
});
