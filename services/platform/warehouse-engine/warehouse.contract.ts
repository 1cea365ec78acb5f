import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Warehouse } from './warehouse.ts';

export type StartedWarehouse = {
  readonly warehouse: Warehouse;
  /** Base address of the HTTP interface, for what the client does not do by itself. */
  readonly url: string;
  readonly writerHeaders: Readonly<Record<string, string>>;
  readonly readerHeaders: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

export type WarehouseSuite = {
  start(): Promise<StartedWarehouse>;
};

/** What every engine behind the Warehouse port must do. */
export function describeWarehouse(name: string, suite: WarehouseSuite): void {
  describe(`the ${name} warehouse`, () => {
    let started: StartedWarehouse;
    let writer: ClickHouseClient;
    let reader: ClickHouseClient;

    beforeAll(async () => {
      started = await suite.start();
      ({ writer, reader } = started.warehouse);
    });
    afterAll(async () => {
      await started?.stop();
    });

    const rows = async (query: string, query_params: Record<string, unknown> = {}) => {
      const answer = await reader.query({ query, query_params, format: 'JSONCompactEachRow' });
      return answer.json<unknown[]>();
    };
    const count = async (table: string) => Number((await rows(`SELECT count() FROM ${table}`))[0]?.[0]);
    const table = async (nameOf: string, columns: string, more = '') => {
      await writer.command({
        query: `CREATE TABLE ${nameOf} (${columns}) ENGINE = MergeTree ORDER BY tuple()
          SETTINGS non_replicated_deduplication_window = 1000 ${more}`,
      });
    };
    const post = (headers: Readonly<Record<string, string>>, query: string, body: string) =>
      fetch(`${started.url}/?${new URLSearchParams({ database: started.warehouse.database, query })}`, {
        method: 'POST',
        headers,
        body,
      });

    describe('questions', () => {
      test('any text comes back from a parameter as it was given', async () => {
        const texts = [
          '',
          "'",
          '\\',
          '\\\\n',
          '\t\r\n',
          '\0',
          '--',
          '/*',
          ';',
          '{x:String}',
          '☃ é \u{1f600}',
          '`"',
          'a\n\nb',
        ];
        const [answer] = await rows(
          `SELECT {texts:Array(String)}, ${texts.map((_, i) => `{t${i}:String}`).join(', ')}`,
          { texts, ...Object.fromEntries(texts.map((value, i) => [`t${i}`, value])) },
        );
        expect(answer).toEqual([texts, ...texts]);
      });

      test('parameters of every type that amounts, times and lists need keep their exact value', async () => {
        const huge = 2n ** 256n - 1n;
        const [answer] = await rows(
          `SELECT {huge:UInt256}, {big:UInt64}, {negative:Int64}, {none:Nullable(String)}, {flag:Bool},
             toUnixTimestamp({time:DateTime('UTC')}), {list:Array(UInt256)}, {pairs:Array(Tuple(String, UInt64))}`,
          {
            huge,
            big: 2n ** 64n - 1n,
            negative: -(2n ** 63n),
            none: null,
            flag: true,
            time: new Date(1_700_000_000_000),
            list: [1n, huge],
            pairs: [],
          },
        );
        expect(answer).toEqual([
          String(huge),
          String(2n ** 64n - 1n),
          String(-(2n ** 63n)),
          null,
          true,
          1_700_000_000,
          ['1', String(huge)],
          [],
        ]);
      });

      test('questions that run at the same time never see each other’s parameters', async () => {
        const answers = await Promise.all(
          Array.from({ length: 200 }, (_, i) =>
            rows('SELECT {i:UInt32}, {text:String}', { i, text: `text ${i}` }),
          ),
        );
        expect(answers.map(([row]) => row)).toEqual(answers.map((_, i) => [i, `text ${i}`]));
      });

      test('a list of parameters that is too long for a URL is answered', async () => {
        const wallets = Array.from({ length: 5_000 }, (_, i) => `wallet-${i}-${'x'.repeat(32)}`);
        expect(
          await rows('SELECT length({wallets:Array(String)}), {wallets:Array(String)}[5000]', { wallets }),
        ).toEqual([['5000', wallets[4_999]]]);
      });

      test('numbers of 64 bits and more come as text, so that none is rounded', async () => {
        expect(await rows('SELECT toUInt64(9007199254740993), toUInt256(1)')).toEqual([
          ['9007199254740993', '1'],
        ]);
      });

      test('a result of many rows streams completely and in order', async () => {
        const answer = await reader.query({
          query: 'SELECT number FROM numbers(3000000)',
          format: 'JSONCompactEachRow',
        });
        let next = 0;
        for await (const batch of answer.stream<[string]>()) {
          for (const row of batch) {
            if (Number(row.json()[0]) !== next) throw new Error(`row ${next} is ${row.text}`);
            next += 1;
          }
        }
        expect(next).toBe(3_000_000);
      });

      test('an error after the first rows of a stream reaches the reader', async () => {
        const answer = await reader.query({
          query: 'SELECT number, throwIf(number = 2900000) FROM numbers(3000000)',
          format: 'JSONCompactEachRow',
        });
        const readAll = async () => {
          for await (const _ of answer.stream());
        };
        await expect(readAll()).rejects.toMatchObject({ code: '395' });
      });

      test('the result of a compressed question is the same', async () => {
        const url = new URL(started.url);
        const zipped = createClient({
          url,
          database: started.warehouse.database,
          compression: { response: true, request: true },
          http_headers: started.writerHeaders,
          set_basic_auth_header: false,
        });
        try {
          await zipped.command({ query: 'CREATE TABLE zipped (a UInt32) ENGINE = Memory' });
          const values = Array.from({ length: 10_000 }, (_, a) => ({ a }));
          await zipped.insert({ table: 'zipped', values, format: 'JSONEachRow' });
          const answer = await zipped.query({
            query: 'SELECT a FROM zipped ORDER BY a',
            format: 'JSONEachRow',
          });
          expect(await answer.json()).toEqual(values);
        } finally {
          await zipped.close();
        }
      });

      test('an error has the engine’s code and name', async () => {
        await expect(rows('SELECT no_such_column FROM numbers(1)')).rejects.toMatchObject({
          code: '47',
          type: 'UNKNOWN_IDENTIFIER',
        });
        await expect(rows('SELECT * FROM no_such_table')).rejects.toMatchObject({
          code: '60',
          type: 'UNKNOWN_TABLE',
        });
        await expect(rows('SELECT {x:UInt8}', { x: 'many' })).rejects.toMatchObject({ code: '457' });
        await expect(rows('SELECT {x:UInt8}')).rejects.toMatchObject({ code: '456' });
        await expect(rows('SELEC 1')).rejects.toMatchObject({ code: '62' });
      });

      test('wrong credentials are refused', async () => {
        for (const headers of [
          { 'x-clickhouse-user': 'writer', 'x-clickhouse-key': 'guess' },
          { 'x-clickhouse-user': 'default', 'x-clickhouse-key': '' },
          {},
        ] as Record<string, string>[]) {
          const answer = await post(headers, 'SELECT 1', '');
          expect(answer.status).toBeGreaterThanOrEqual(401);
          expect(answer.status).toBeLessThanOrEqual(403);
          expect(answer.headers.get('x-clickhouse-exception-code')).toBe('516');
        }
      });

      test('a question that takes too long is ended with error 159', async () => {
        const slow = reader.query({
          query: 'SELECT max(sipHash64(number)) FROM numbers(1000000000000)',
          clickhouse_settings: { max_execution_time: 1 },
        });
        await expect(slow).rejects.toMatchObject({ code: '159' });
      });

      test('a question whose asker went away stops working', async () => {
        const leave = new AbortController();
        const asked = reader.query({
          query: "SELECT max(sipHash64(number, 'left alone')) FROM numbers(1000000000000)",
          abort_signal: leave.signal,
          clickhouse_settings: { cancel_http_readonly_queries_on_client_close: 1 },
        });
        const running = async () => {
          const answer = await writer.query({
            query:
              "SELECT count() FROM system.processes WHERE query LIKE '%left alone%' AND query NOT LIKE '%processes%'",
            format: 'JSONCompactEachRow',
          });
          return Number((await answer.json<[string]>())[0]?.[0]);
        };
        await expect.poll(running, { timeout: 20_000 }).toBe(1);
        leave.abort();
        await expect(asked).rejects.toThrow();
        await expect.poll(running, { timeout: 20_000 }).toBe(0);
      });
    });

    describe('inserts', () => {
      test('a million rows of RowBinary arrive to the byte', async () => {
        await table('binary_rows', 'a UInt64, b String, c UInt256');
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
        const { stream } = await writer.exec({
          query: 'INSERT INTO binary_rows FORMAT RowBinary',
          values: Readable.from(chunks(), { objectMode: false }),
        });
        stream.resume();
        await once(stream, 'close');
        expect(
          await rows(`SELECT count(), sum(a), uniqExact(b), max(c) - min(c), min(bitShiftRight(c, 248))
            FROM binary_rows`),
        ).toEqual([['1000000', '499999500000', '256', '999999', '255']]);
      });

      test('rows of named fields get the table’s defaults for what they leave out', async () => {
        await table(
          'with_defaults',
          "a UInt32, b UInt32 DEFAULT a + 1, c String DEFAULT 'none', d UInt8 MATERIALIZED 7",
        );
        await writer.insert({
          table: 'with_defaults',
          values: [{ a: 1 }, { a: 2, b: 9, c: 'two' }],
          format: 'JSONEachRow',
        });
        await writer.insert({
          table: 'with_defaults',
          values: [{ b: 5 }],
          columns: ['b'],
          format: 'JSONEachRow',
        });
        expect(await rows('SELECT a, b, c, d FROM with_defaults ORDER BY a')).toEqual([
          [0, 5, 'none', 7],
          [1, 2, 'none', 7],
          [2, 9, 'two', 7],
        ]);
      });

      test('values that stand in the statement arrive, whatever they hold', async () => {
        await table('inline_values', 'a UInt32, s String');
        await writer.command({
          query:
            "INSERT INTO inline_values VALUES (1, 'a;b'), (2, 'x\n\nDROP TABLE inline_values\n\ny'), (3, '-- ')",
        });
        expect(await rows('SELECT a, s FROM inline_values ORDER BY a')).toEqual([
          [1, 'a;b'],
          [2, 'x\n\nDROP TABLE inline_values\n\ny'],
          [3, '-- '],
        ]);
      });

      test('nothing that stands behind a blank line in the data is executed', async () => {
        await table('victim', 'a UInt32');
        await table('lines', 's String');
        const attack = 'x\n\nDROP TABLE victim\n\n;DROP TABLE victim;\n\r\n\r\nTRUNCATE TABLE lines\n';
        const bodies: [string, string][] = [
          ['TabSeparated', attack],
          ['LineAsString', attack],
          ['CSV', attack],
          ['JSONEachRow', '{"s":"x"}\n\nDROP TABLE victim\n\n'],
          ['Values', "('x')\n\n;DROP TABLE victim\n\n"],
        ];
        for (const [format, body] of bodies) {
          await post(started.writerHeaders, `INSERT INTO lines FORMAT ${format}`, body);
          await post(started.writerHeaders, '', `INSERT INTO lines FORMAT ${format}\n${body}`);
          await post(started.writerHeaders, `INSERT INTO lines FORMAT ${format} ${body}`, '');
        }
        expect(await count('victim')).toBe(0);
        expect(await rows('EXISTS TABLE victim')).toEqual([[1]]);
        expect((await rows("SELECT count() FROM lines WHERE s LIKE 'DROP%'"))[0]?.[0]).not.toBe('0');
      });

      test('a text with two statements does nothing', async () => {
        await table('kept', 'a UInt32');
        await expect(writer.command({ query: 'SELECT 1; DROP TABLE kept' })).rejects.toMatchObject({
          code: '62',
        });
        expect(await rows('EXISTS TABLE kept')).toEqual([[1]]);
      });

      test('a batch that is repeated with its token leaves tables and views as they were, several blocks included', async () => {
        await table('source_rows', 'a UInt64');
        await table('view_rows', 'a UInt64, side UInt8');
        await writer.command({
          query:
            'CREATE MATERIALIZED VIEW rows_view TO view_rows AS SELECT a, side FROM source_rows ARRAY JOIN [1, 2] AS side',
        });
        const insert = (token: string, first: number) =>
          writer.insert({
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
          rows(
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
        expect(await count('source_rows')).toBe(150_000);
      });

      test('rows of the wrong shape are refused and nothing of them stays', async () => {
        await table('strict', 'a UInt32');
        const insert = writer.insert({
          table: 'strict',
          values: [{ a: 1 }, { a: 'not a number' }],
          format: 'JSONEachRow',
        });
        await expect(insert).rejects.toMatchObject({ code: expect.stringMatching(/^\d+$/) });
        expect(await count('strict')).toBe(0);
        await expect(
          writer.insert({ table: 'strict', values: [{ b: 1 }], columns: ['b'], format: 'JSONEachRow' }),
        ).rejects.toMatchObject({ code: '16' });
      });
    });

    describe('a reader', () => {
      const marker = join(tmpdir(), `spoor-outfile-${process.pid}-${Date.now()}`);
      const refused = (query: string) =>
        rows(query).then(
          (answer) => Promise.reject(new Error(`answered ${JSON.stringify(answer).slice(0, 200)}: ${query}`)),
          (error: { code?: string }) => expect(error.code, `${query}: ${String(error)}`).toMatch(/^\d+$/),
        );

      beforeAll(async () => {
        await table('guarded', 'a UInt32');
        await writer.insert({ table: 'guarded', values: [{ a: 1 }], format: 'JSONEachRow' });
      });

      test('cannot change tables, settings or the engine', async () => {
        for (const query of [
          'INSERT INTO guarded VALUES (2)',
          'INSERT INTO guarded SELECT 2',
          'WITH x AS (SELECT 2) INSERT INTO guarded SELECT * FROM x',
          'CREATE TABLE mine (a UInt8) ENGINE = Memory',
          'CREATE TEMPORARY TABLE mine (a UInt8)',
          'CREATE VIEW mine AS SELECT 1',
          'CREATE FUNCTION mine AS x -> x',
          'CREATE DICTIONARY mine (a UInt64) PRIMARY KEY a SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)',
          'ATTACH TABLE mine',
          'DETACH TABLE guarded',
          'DROP TABLE guarded',
          '/* c */ dRoP -- x\n TABLE guarded',
          'TRUNCATE TABLE guarded',
          'ALTER TABLE guarded DELETE WHERE 1',
          'DELETE FROM guarded WHERE 1',
          'OPTIMIZE TABLE guarded',
          'RENAME TABLE guarded TO mine',
          'EXCHANGE TABLES guarded AND kept',
          'SYSTEM STOP MERGES',
          'SYSTEM SHUTDOWN',
          'KILL QUERY WHERE 1',
          'KILL MUTATION WHERE 1',
          'SET max_threads = 8',
          'SET readonly = 0',
          'USE system',
          'BACKUP TABLE guarded TO Null',
          'GRANT ALL ON *.* TO reader',
          'EXPLAIN AST INSERT INTO guarded SELECT 1',
          'EXPLAIN PIPELINE INSERT INTO guarded SELECT 2',
          'SELECT 1 PARALLEL WITH DROP TABLE guarded',
          'SELECT 1; DROP TABLE guarded',
          'SELECT 1 SETTINGS readonly = 0',
          'SELECT 1 SETTINGS max_execution_time = 0',
          "SELECT * FROM guarded SETTINGS additional_table_filters = {'guarded': 'a = 2'}",
          'SELECT * FROM (SELECT 1 SETTINGS readonly = 0)',
        ]) {
          await refused(query);
        }
        expect(await rows('SELECT a FROM guarded')).toEqual([[1]]);
      });

      test('cannot read files or reach the network', async () => {
        for (const query of [
          "SELECT file('/etc/hostname')",
          "SELECT `file`('/etc/hostname')",
          "SELECT * FROM file('/etc/hostname', 'LineAsString')",
          "SELECT * FROM (SELECT * FROM (SELECT * FROM file('/etc/hostname', LineAsString)))",
          "SELECT * FROM FiLe('/etc/hostname', 'LineAsString')",
          "SELECT * FROM/**/file/**/('/etc/hostname', 'LineAsString')",
          "WITH f AS (SELECT * FROM file('/etc/hostname', 'LineAsString')) SELECT * FROM f",
          "SELECT (SELECT * FROM file('/etc/hostname', 'LineAsString') LIMIT 1)",
          "SELECT 1 IN (SELECT * FROM file('/etc/hostname', 'LineAsString'))",
          "SELECT arrayMap(file, ['/etc/hostname'])",
          "SELECT arrayMap(x -> file(x), ['/etc/hostname'])",
          "SELECT arrayMap(`file`, ['/etc/hostname'])",
          "SELECT * APPLY(file) FROM (SELECT '/etc/hostname' AS a)",
          "SELECT * APPLY file FROM (SELECT '/etc/hostname' AS a)",
          "SELECT COLUMNS('a') APPLY(x -> file(x)) FROM (SELECT '/etc/hostname' AS a)",
          "SELECT * REPLACE (file(a) AS a) FROM (SELECT '/etc/hostname' AS a)",
          "WITH (x -> file(x)) AS f SELECT f('/etc/hostname')",
          "SELECT sum(1) OVER (PARTITION BY file('/etc/hostname'))",
          "SELECT 1 ORDER BY file('/etc/hostname')",
          "SELECT 1 LIMIT length(file('/etc/hostname'))",
          "SELECT 1 WHERE file('/etc/hostname') = ''",
          "DESCRIBE TABLE file('/etc/hostname', 'LineAsString')",
          "DESCRIBE (SELECT * FROM file('/etc/hostname', 'LineAsString'))",
          "EXPLAIN SELECT * FROM file('/etc/hostname', 'LineAsString')",
          "EXPLAIN PLAN SELECT (SELECT count() FROM file('/etc/hostname', 'LineAsString'))",
          "SHOW TABLES WHERE name = file('/etc/hostname')",
          'SELECT * FROM `/etc/hostname`',
          "SELECT * FROM '/etc/hostname'",
          'SELECT * FROM default.`/etc/hostname`',
          "SELECT 'x' IN default.`/etc/hostname`",
          "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
          "SELECT * FROM s3('http://127.0.0.1:1/b/k', 'CSV')",
          "SELECT * FROM remote('127.0.0.1:1', system.one)",
          "SELECT * FROM cluster('default', system.one)",
          "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')",
          "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')",
          "SELECT * FROM sqlite('/etc/hostname', 't')",
          "SELECT * FROM executable('x', 'TSV', 'a String')",
          "SELECT * FROM input('a String')",
          "SELECT * FROM merge('system', '.*')",
          "SELECT * FROM view(SELECT * FROM file('/etc/hostname', 'LineAsString'))",
          "SELECT * FROM loop(file('/etc/hostname', 'LineAsString'))",
          "SELECT dictGet('a', 'b', 1)",
          "SELECT joinGet('system.one', 'dummy', 1)",
          "SELECT hasColumnInTable('127.0.0.1:1', 'system', 'one', 'dummy')",
          "SELECT catboostEvaluate('/etc/hostname', 1)",
          "SELECT getSetting('user_files_path')",
          'SELECT filesystemAvailable(), getServerPort(1)',
          "SELECT * FROM file('/etc/hostname', {format:String})",
        ]) {
          await refused(query);
        }
        await expect(rows('SELECT * FROM {t:Identifier}', { t: 'system.disks' })).rejects.toMatchObject({
          code: /\d/,
        });
      });

      test('cannot write a file', async () => {
        for (const query of [
          `SELECT 1 INTO OUTFILE '${marker}'`,
          `SELECT 1 /**/ iNtO /**/ outfile '${marker}' TRUNCATE FORMAT CSV`,
          `SELECT * FROM (SELECT 1) INTO OUTFILE '${marker}'`,
          `EXPLAIN SELECT 1 INTO OUTFILE '${marker}'`,
          `SHOW TABLES INTO OUTFILE '${marker}'`,
          `INSERT INTO FUNCTION file('${marker}', 'CSV', 'a UInt8') SELECT 1`,
        ]) {
          await refused(query);
        }
        expect(existsSync(marker)).toBe(false);
      });

      test('cannot see the engine’s paths, processes or other databases', async () => {
        for (const query of [
          'SELECT * FROM system.tables',
          'SELECT data_path FROM system.databases',
          'SELECT * FROM system.parts',
          'SELECT * FROM system.disks',
          'SELECT * FROM system.processes',
          'SELECT * FROM system.settings',
          'SELECT * FROM `system`.`disks`',
          'SELECT * FROM SYSTEM.disks',
          'FROM system.disks SELECT *',
          'SELECT 1 IN system.disks',
          'SELECT 1 FROM guarded JOIN system.disks ON 1 = 1',
          'SELECT a FROM guarded WHERE a IN (SELECT 1 FROM system.disks)',
          'SHOW PROCESSLIST',
          'SHOW TABLES FROM system',
          'SHOW CREATE TABLE system.disks',
          'SELECT * FROM information_schema.tables',
        ]) {
          await refused(query);
        }
        const elsewhere = await fetch(`${started.url}/?database=system&query=SELECT+*+FROM+disks`, {
          headers: started.readerHeaders,
        });
        expect(elsewhere.ok).toBe(false);
      });

      test('cannot lift its limits through the address', async () => {
        for (const setting of [
          'readonly=0',
          'readonly=2',
          'allow_introspection_functions=1',
          'log_comment=x',
          'session_id=a',
        ]) {
          const answer = await fetch(`${started.url}/?${setting}&query=SELECT+1`, {
            headers: started.readerHeaders,
          });
          expect(answer.ok, setting).toBe(false);
        }
      });

      test('can ask what an investigation needs', async () => {
        for (const query of [
          'WITH 5 AS k, t AS (SELECT number AS n FROM numbers(10)) SELECT sum(n + k), uniq(n) FROM t WHERE n IN (1, 2, 3)',
          'SELECT a, count() OVER (PARTITION BY a ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM guarded',
          'SELECT * FROM guarded AS g ASOF LEFT JOIN (SELECT 1 AS a, 2 AS b) AS h ON g.a = h.a AND g.a >= h.b',
          "SELECT lower('A'), substring('abc', 2), mod(5, 2), toStartOfHour(toDateTime(0, 'UTC')), cityHash64('x')",
          'SELECT arrayMap(x -> x + 1, range(3)), arrayJoin([1, 2]), [1, 2][1], (1, 2).1, CAST(1 AS UInt256)',
          'SELECT sumIf(a, a > 0), quantiles(0.5, 0.9)(a), argMax(a, a), groupArray(3)(a), any(a) FROM guarded GROUP BY ALL',
          'SELECT a FROM guarded ORDER BY a DESC LIMIT 1 BY a LIMIT 10',
          'SELECT 1 UNION ALL SELECT 2',
          "SELECT reinterpretAsUInt256(unhex('01')), base58Decode('11'), bitAnd(3, 1), formatReadableSize(1)",
          'SELECT if(a = 1, 2, 3), multiIf(a = 1, 2, 3), CASE WHEN a = 1 THEN 2 ELSE 3 END, a BETWEEN 1 AND 2 FROM guarded',
          'SELECT * EXCEPT a FROM (SELECT 1 AS a, 2 AS b)',
          'SELECT count() FROM guarded SAMPLE 1',
          'EXPLAIN indexes = 1 SELECT a FROM guarded WHERE a = 1',
          'SHOW TABLES',
          'DESCRIBE TABLE guarded',
          'SHOW CREATE TABLE guarded',
          'SELECT name, type FROM system.columns LIMIT 1',
        ]) {
          const failure = await rows(query).then(
            () => null,
            (error: Error) => error.message,
          );
          // A table without a sampling key says so only after the walls let the question through.
          if (failure !== null) expect(failure, query).toMatch(/sampling/i);
        }
      });
    });
  });
}
