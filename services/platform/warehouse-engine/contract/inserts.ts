import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Suite } from './suite.ts';

/** A text in RowBinary, shorter than 128 bytes or of exactly 300,000. */
const binaryText = (text: string): Buffer[] => [
  Buffer.from(text.length < 128 ? [text.length] : [0xe0, 0xa7, 0x12]),
  Buffer.from(text, 'latin1'),
];

/** Data arrives to the byte, once, and is never taken for SQL. */
export function describeInserts(suite: () => Suite): void {
  describe('inserts', () => {
    test('a million rows of RowBinary arrive to the byte', async () => {
      await suite().table('binary_rows', 'a UInt64, b String, c UInt256');
      const rowsPerChunk = 10_000;
      async function* chunks() {
        for (let first = 0; first < 1_000_000; first += rowsPerChunk) {
          const chunk = Buffer.alloc(rowsPerChunk * 44);
          for (let i = 0; i < rowsPerChunk; i++) {
            const at = i * 44;
            chunk.writeBigUInt64LE(BigInt(first + i), at);
            chunk[at + 8] = 3;
            // Every row holds a blank line and every byte there is.
            chunk.set([10, 10, i % 256], at + 9);
            chunk.writeBigUInt64LE(BigInt(first + i), at + 12);
            chunk[at + 43] = 255;
          }
          yield chunk;
        }
      }
      const { stream } = await suite().writer.exec({
        query: 'INSERT INTO binary_rows FORMAT RowBinary',
        values: Readable.from(chunks(), { objectMode: false }),
      });
      stream.resume();
      await once(stream, 'close');
      expect(
        await suite().rows(`SELECT count(), sum(a), uniqExact(b), max(c) - min(c), min(bitShiftRight(c, 248))
          FROM binary_rows`),
      ).toEqual([['1000000', '499999500000', '256', '999999', '255']]);
    });

    test('a body in pieces arrives to the byte, once under its token, and nothing of one that is cut off stays', async () => {
      await suite().table('pieces', 's String');
      const insertBody = (body: readonly Buffer[], token: string) =>
        suite().started.warehouse.insertBody({
          table: 'pieces',
          format: 'RowBinary',
          body,
          settings: { insert_deduplication_token: token, async_insert: 0 },
        });
      const texts = ['', '\0\xff', 'x\n\nDROP TABLE pieces\n\n', 'y'.repeat(300_000)];
      const pieces = texts.flatMap(binaryText);
      await insertBody(pieces, 'a');
      await insertBody(pieces, 'a');
      const arrived = await suite().rows('SELECT lower(hex(s)) FROM pieces ORDER BY length(s)');
      expect(arrived).toEqual(texts.map((text) => [Buffer.from(text, 'latin1').toString('hex')]));
      await expect(insertBody(pieces.slice(0, -1), 'b')).rejects.toMatchObject({
        code: expect.stringMatching(/^\d+$/),
      });
      expect(await suite().count('pieces')).toBe(texts.length);
    });

    test('rows of named fields get the table’s defaults for what they leave out', async () => {
      await suite().table(
        'with_defaults',
        "a UInt32, b UInt32 DEFAULT a + 1, c String DEFAULT 'none', d UInt8 MATERIALIZED 7",
      );
      await suite().writer.insert({
        table: 'with_defaults',
        values: [{ a: 1 }, { a: 2, b: 9, c: 'two' }],
        format: 'JSONEachRow',
      });
      await suite().writer.insert({
        table: 'with_defaults',
        values: [{ b: 5 }],
        columns: ['b'],
        format: 'JSONEachRow',
      });
      expect(await suite().rows('SELECT a, b, c, d FROM with_defaults ORDER BY a')).toEqual([
        [0, 5, 'none', 7],
        [1, 2, 'none', 7],
        [2, 9, 'two', 7],
      ]);
    });

    test('values that stand in the statement arrive, whatever they hold', async () => {
      await suite().table('inline_values', 'a UInt32, s String');
      await suite().writer.command({
        query:
          "INSERT INTO inline_values VALUES (1, 'a;b'), (2, 'x\n\nDROP TABLE inline_values\n\ny'), (3, '-- ')",
      });
      expect(await suite().rows('SELECT a, s FROM inline_values ORDER BY a')).toEqual([
        [1, 'a;b'],
        [2, 'x\n\nDROP TABLE inline_values\n\ny'],
        [3, '-- '],
      ]);
    });

    test('nothing that stands behind a blank line in the data is executed', async () => {
      await suite().table('victim', 'a UInt32');
      await suite().table('lines', 's String');
      const attack = 'x\n\nDROP TABLE victim\n\n;DROP TABLE victim;\n\r\n\r\nTRUNCATE TABLE lines\n';
      const bodies: [string, string][] = [
        ['TabSeparated', attack],
        ['LineAsString', attack],
        ['CSV', attack],
        ['JSONEachRow', '{"s":"x"}\n\nDROP TABLE victim\n\n'],
        ['Values', "('x')\n\n;DROP TABLE victim\n\n"],
      ];
      for (const [format, body] of bodies) {
        await suite().post(suite().started.writerHeaders, `INSERT INTO lines FORMAT ${format}`, body);
        await suite().post(suite().started.writerHeaders, '', `INSERT INTO lines FORMAT ${format}\n${body}`);
        await suite().post(suite().started.writerHeaders, `INSERT INTO lines FORMAT ${format} ${body}`, '');
      }
      expect(await suite().count('victim')).toBe(0);
      expect(await suite().rows('EXISTS TABLE victim')).toEqual([[1]]);
      expect((await suite().rows("SELECT count() FROM lines WHERE s LIKE 'DROP%'"))[0]?.[0]).not.toBe('0');
    });

    test('a text with two statements does nothing', async () => {
      await suite().table('kept', 'a UInt32');
      await expect(suite().writer.command({ query: 'SELECT 1; DROP TABLE kept' })).rejects.toMatchObject({
        code: '62',
      });
      expect(await suite().rows('EXISTS TABLE kept')).toEqual([[1]]);
    });

    test('a batch that is repeated with its token leaves tables and views as they were, several blocks included', async () => {
      await suite().table('source_rows', 'a UInt64');
      await suite().table('view_rows', 'a UInt64, side UInt8');
      await suite().writer.command({
        query:
          'CREATE MATERIALIZED VIEW rows_view TO view_rows AS SELECT a, side FROM source_rows ARRAY JOIN [1, 2] AS side',
      });
      const insert = (token: string, first: number) =>
        suite().writer.insert({
          table: 'source_rows',
          values: Array.from({ length: 50_000 }, (_, i) => [first + i]),
          format: 'JSONCompactEachRow',
          clickhouse_settings: {
            insert_deduplication_token: token,
            deduplicate_blocks_in_dependent_materialized_views: 1,
            async_insert: 0,
            max_insert_block_size: '20000',
            min_insert_block_size_rows: '20000',
          },
        });
      const state = () =>
        suite().rows(
          `SELECT (SELECT (count(), sum(a)) FROM source_rows), (SELECT (count(), sum(a)) FROM view_rows)`,
        );
      await insert('batch-0', 0);
      await insert('batch-1', 50_000);
      const before = await state();
      await insert('batch-0', 0);
      await insert('batch-1', 50_000);
      expect(await state()).toEqual(before);
      expect(before[0]?.[0]).toEqual(['100000', '4999950000']);
      expect(before[0]?.[1]).toEqual(['200000', '9999900000']);
      // The same rows under another token are another batch.
      await insert('batch-2', 0);
      expect(await suite().count('source_rows')).toBe(150_000);
    });

    test('rows of the wrong shape are refused and nothing of them stays', async () => {
      await suite().table('strict', 'a UInt32');
      const insert = suite().writer.insert({
        table: 'strict',
        values: [{ a: 1 }, { a: 'not a number' }],
        format: 'JSONEachRow',
      });
      await expect(insert).rejects.toMatchObject({ code: expect.stringMatching(/^\d+$/) });
      expect(await suite().count('strict')).toBe(0);
      await expect(
        suite().writer.insert({ table: 'strict', values: [{ b: 1 }], columns: ['b'], format: 'JSONEachRow' }),
      ).rejects.toMatchObject({ code: '16' });
    });
  });
}
