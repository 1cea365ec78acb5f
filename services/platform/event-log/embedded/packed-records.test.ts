import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../testing/any-text.ts';
import { packedBytes, packRecords, unpackRecords } from './packed-records.ts';

const record = fc.record({
  partitionId: fc.nat(4_000_000_000),
  timeUnixMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  key: anyText(),
  headers: fc.option(fc.dictionary(fc.string(), anyText()).map((h) => JSON.stringify(h))),
  value: fc.uint8Array(),
});

test('any records come out of a pack as they went in, and fill exactly the bytes that were counted', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const bytes = records.reduce((sum, r) => sum + packedBytes(r), 0);
      const pack = packRecords(records, bytes);
      const out = [...unpackRecords(pack)].map((r) => ({ ...r, value: new Uint8Array(r.value) }));
      expect(out).toEqual(records);
      expect(pack.length).toBe(bytes);
    }),
  );
});
