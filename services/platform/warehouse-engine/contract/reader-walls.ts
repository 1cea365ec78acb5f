import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analystDatabaseOf } from '../analyst-database.ts';
import type { Suite } from './suite.ts';

const SECRET = 'not for readers';

/** What those who only read cannot do, whatever they write. */
export function describeReaderWalls(suite: () => Suite): void {
  const file = join(tmpdir(), `spoor-secret-${randomUUID()}`);
  beforeAll(async () => {
    writeFileSync(file, `${SECRET}\n`);
    await suite().table('guarded', 'a UInt32');
    await suite().writer.insert({ table: 'guarded', values: [{ a: 1 }], format: 'JSONEachRow' });
    // What an analyst may ask is a view of what others may.
    const { database } = suite().started.warehouse;
    for (const query of [
      `CREATE DATABASE IF NOT EXISTS ${analystDatabaseOf(database)}`,
      `CREATE OR REPLACE VIEW ${analystDatabaseOf(database)}.guarded DEFINER = CURRENT_USER SQL SECURITY DEFINER
        AS SELECT a FROM ${database}.guarded`,
    ])
      await suite().writer.command({ query });
  });
  afterAll(() => rmSync(file));

  describe.each(['reader', 'analyst'] as const)('the user %s', (role) => {
    const headers = () => suite().started[`${role}Headers`];
    const marker = join(tmpdir(), `spoor-outfile-${process.pid}-${Date.now()}`);
    // Refused, not grammatical, or naming what he cannot see; a connection that failed or a file that could not be parsed would
    // be none of these. 1001: the embedded engine has no working directory, which every way to a file looks for first.
    const REFUSALS = [
      ...[
        '36',
        '42',
        '43',
        '46',
        '47',
        '60',
        '62',
        '80',
        '81',
        '115',
        '164',
        '291',
        '344',
        '358',
        '386',
        '452',
        '477',
      ],
      ...['497', '511', '636', '701', '1001'],
    ];
    const ask = (query: string, params: Record<string, string> = {}) => {
      const named = Object.entries(params).map(([name, value]): [string, string] => [`param_${name}`, value]);
      const { database } = suite().started.warehouse;
      const own = role === 'analyst' ? analystDatabaseOf(database) : database;
      const search = new URLSearchParams([['database', own], ...named]);
      return fetch(`${suite().started.url}/?${search}`, { method: 'POST', headers: headers(), body: query });
    };
    /** Those of the statements that were answered, or failed for another reason than that they are not allowed. */
    const notRefused = async (queries: readonly string[], params: Record<string, string> = {}) => {
      const passed: string[] = [];
      for (const query of queries) {
        const answer = await ask(query, params);
        const text = await answer.text();
        const isRefused = REFUSALS.includes(answer.headers.get('x-clickhouse-exception-code') ?? '');
        if (!isRefused || text.includes(SECRET)) passed.push(`${query} => ${text.slice(0, 200)}`);
      }
      return passed;
    };

    test('cannot change tables, settings or the engine', async () => {
      const passed = await notRefused([
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
        'SYSTEM STOP MERGES guarded',
        'SYSTEM STOP LISTEN HTTP',
        'EXECUTE AS spoor SELECT 1',
        'SYSTEM SHUTDOWN',
        'KILL QUERY WHERE 1',
        'KILL MUTATION WHERE 1',
        'SET readonly = 0',
        'BACKUP TABLE guarded TO Null',
        'GRANT ALL ON *.* TO reader',
        'EXPLAIN PIPELINE INSERT INTO guarded SELECT 2',
        'SELECT 1 PARALLEL WITH DROP TABLE guarded',
        'SELECT 1; DROP TABLE guarded',
        'SELECT 1 SETTINGS readonly = 0',
        'SELECT 1 SETTINGS max_execution_time = 0',
        'SELECT 1 SETTINGS `readonly` = 0',
        'SELECT 1 SETTINGS a.b = 0',
      ]);
      expect(passed).toEqual([]);
      expect(await suite().rows('SELECT a FROM guarded')).toEqual([[1]]);
    });

    test('cannot read files or reach the network', async () => {
      const passed = await notRefused([
        `SELECT file('${file}')`,
        `SELECT \`file\`('${file}')`,
        `SELECT * FROM file('${file}', 'LineAsString')`,
        `SELECT * FROM (SELECT * FROM (SELECT * FROM file('${file}', LineAsString)))`,
        `SELECT * FROM FiLe('${file}', 'LineAsString')`,
        `SELECT * FROM/**/file/**/('${file}', 'LineAsString')`,
        `WITH f AS (SELECT * FROM file('${file}', 'LineAsString')) SELECT * FROM f`,
        `SELECT (SELECT * FROM file('${file}', 'LineAsString') LIMIT 1)`,
        `SELECT 1 IN (SELECT * FROM file('${file}', 'LineAsString'))`,
        `SELECT arrayMap(file, ['${file}'])`,
        `SELECT arrayMap(x -> file(x), ['${file}'])`,
        `SELECT arrayMap(\`file\`, ['${file}'])`,
        `SELECT * APPLY(file) FROM (SELECT '${file}' AS a)`,
        `SELECT * APPLY file FROM (SELECT '${file}' AS a)`,
        `SELECT COLUMNS('a') APPLY(x -> file(x)) FROM (SELECT '${file}' AS a)`,
        `SELECT * REPLACE (file(a) AS a) FROM (SELECT '${file}' AS a)`,
        `WITH (x -> file(x)) AS f SELECT f('${file}')`,
        `SELECT sum(1) OVER (PARTITION BY file('${file}'))`,
        `SELECT 1 ORDER BY file('${file}')`,
        `SELECT 1 LIMIT length(file('${file}'))`,
        `SELECT 1 WHERE file('${file}') = ''`,
        `DESCRIBE TABLE file('${file}', 'LineAsString')`,
        `DESCRIBE (SELECT * FROM file('${file}', 'LineAsString'))`,
        `EXPLAIN SELECT * FROM file('${file}', 'LineAsString')`,
        `EXPLAIN PLAN SELECT (SELECT count() FROM file('${file}', 'LineAsString'))`,
        `SHOW TABLES WHERE name = file('${file}')`,
        `SELECT * FROM \`${file}\``,
        `SELECT * FROM '${file}'`,
        `SELECT * FROM default.\`${file}\``,
        `SELECT 'x' IN default.\`${file}\``,
        "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
        "SELECT * FROM s3('http://127.0.0.1:1/b/k', 'CSV')",
        "SELECT * FROM remote('127.0.0.1:1', system.one)",
        "SELECT * FROM cluster('default', system.one)",
        "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')",
        "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')",
        `SELECT * FROM sqlite('${file}', 't')`,
        "SELECT * FROM executable('x', 'TSV', 'a String')",
        "SELECT * FROM input('a String')",
        `SELECT * FROM view(SELECT * FROM file('${file}', 'LineAsString'))`,
        `SELECT * FROM loop(file('${file}', 'LineAsString'))`,
        "SELECT dictGet('a', 'b', 1)",
        "SELECT joinGet('system.one', 'dummy', 1)",
        "SELECT hasColumnInTable('127.0.0.1:1', 'system', 'one', 'dummy')",
        `SELECT * FROM VALUES('a UInt8, b String ALIAS file(''${file}'')', 1)`,
        `DESCRIBE TABLE values('a UInt8, b String ALIAS file(''${file}'')', 1)`,
        `SELECT structureToProtobufSchema('a UInt8 DEFAULT file(''${file}'')')`,
        `SELECT structureToCapnProtoSchema('a UInt8 DEFAULT file(''${file}'')')`,
        `SELECT * FROM generateRandom('a UInt8, b String ALIAS file(''${file}'')')`,
        `SELECT * FROM null('a UInt8, b String ALIAS file(''${file}'')')`,
        `SELECT * FROM format(CSV, 'a UInt8, b String ALIAS file(''${file}'')', '1')`,
        // Formats that read their templates and schemas from files, or write them.
        `SELECT 1 FORMAT Template SETTINGS format_template_resultset = '${file}'`,
        `SELECT 1 FORMAT Template SETTINGS format_template_row = '${file}'`,
        `SELECT 1 AS a FORMAT Protobuf SETTINGS format_schema = '${file}:M'`,
        `SELECT 1 AS a FORMAT Protobuf SETTINGS output_format_schema = '${marker}'`,
        "SELECT * FROM viewExplain('EXPLAIN TABLE OVERRIDE', '', (SELECT 1))",
      ]);
      expect(passed).toEqual([]);
    });

    test('cannot write a file', async () => {
      const passed = await notRefused([
        `SELECT 1 INTO OUTFILE '${marker}'`,
        `SELECT 1 /**/ iNtO /**/ outfile '${marker}' TRUNCATE FORMAT CSV`,
        `SELECT * FROM (SELECT 1) INTO OUTFILE '${marker}'`,
        `EXPLAIN SELECT 1 INTO OUTFILE '${marker}'`,
        `SHOW TABLES INTO OUTFILE '${marker}'`,
        `INSERT INTO FUNCTION file('${marker}', 'CSV', 'a UInt8') SELECT 1`,
      ]);
      expect(passed).toEqual([]);
      expect(existsSync(marker)).toBe(false);
    });

    test('cannot see the queries of others, users, disks or other databases', async () => {
      const passed = await notRefused([
        'SELECT query FROM system.query_log',
        'SELECT * FROM system.user_processes',
        'SELECT * FROM system.query_cache',
        'SELECT * FROM system.users',
        'SELECT * FROM system.disks',
        'SELECT * FROM system.processes',
        'SELECT * FROM `system`.`disks`',
        'SELECT * FROM SYSTEM.disks',
        'FROM system.disks SELECT *',
        'SELECT 1 IN system.disks',
        'SELECT 1 FROM guarded JOIN system.disks ON 1 = 1',
        'SELECT a FROM guarded WHERE a IN (SELECT 1 FROM system.disks)',
        "SELECT * FROM merge('system', '^(processes|users|disks)$')",
        'SHOW PROCESSLIST',
        'SHOW CREATE TABLE system.disks',
        ...(role === 'reader' ? ['SELECT * FROM information_schema.tables'] : []),
      ]);
      expect(passed).toEqual([]);
      const elsewhere = await fetch(`${suite().started.url}/?database=system&query=SELECT+*+FROM+disks`, {
        headers: headers(),
      });
      expect(elsewhere.ok).toBe(false);
    });

    test('cannot name by a parameter what it cannot see', async () => {
      const passed = await notRefused(
        [
          'SELECT * FROM {whole:Identifier}',
          'SELECT * FROM {database:Identifier}.{table:Identifier}',
          'SELECT * FROM {database:Identifier}.disks',
          "SELECT ('a', 'b') IN {database:Identifier}.{table:Identifier}",
          'SHOW COLUMNS FROM disks FROM {database:Identifier}',
          'SHOW CREATE TABLE {database:Identifier}.disks',
          'DESCRIBE TABLE {database:Identifier}.disks',
        ],
        { whole: 'system.disks', database: 'system', table: 'disks' },
      );
      expect(passed).toEqual([]);
    });

    if (role === 'analyst')
      test('sees no table behind his views', async () => {
        const { database } = suite().started.warehouse;
        const passed = await notRefused([
          `SELECT * FROM ${database}.guarded`,
          `SELECT count() FROM ${database}.guarded`,
          `SHOW CREATE TABLE ${database}.guarded`,
          `DESCRIBE TABLE ${database}.guarded`,
          `SELECT 1 IN ${database}.guarded`,
          `SELECT * FROM merge('${database}', 'guarded')`,
          'SELECT * FROM system.view_refreshes',
        ]);
        expect(passed).toEqual([]);
        const databases = async (column: string, table: string) => {
          const listed = await ask(`SELECT DISTINCT lower(${column}) AS name FROM ${table}
            WHERE name NOT IN ('system', 'information_schema') FORMAT TSV`);
          return listed.text();
        };
        for (const table of ['system.tables', 'system.columns'])
          expect(await databases('database', table)).toBe(`${analystDatabaseOf(database)}\n`);
        for (const table of ['tables', 'columns', 'views'])
          expect(await databases('table_schema', `information_schema.${table}`), table).toBe(
            `${analystDatabaseOf(database)}\n`,
          );
        expect(await databases('database', 'system.parts')).toBe('');
      });

    test('cannot lift his limits through the address', async () => {
      for (const setting of [
        ...['readonly=0', 'max_execution_time=0', 'max_execution_time=100000', 'max_memory_usage=0'],
        ...['max_memory_usage=100000000000', 'max_untracked_memory=100000000000'],
      ]) {
        const answer = await fetch(`${suite().started.url}/?${setting}&query=SELECT+1`, {
          headers: headers(),
        });
        expect([setting, answer.headers.get('x-clickhouse-exception-code')]).toEqual([
          setting,
          expect.stringMatching(/^(164|452)$/),
        ]);
      }
    });

    test('cannot lift his limits in a subquery, where a server checks none', async () => {
      const endless = 'SELECT max(sipHash64(number)) FROM numbers(1000000000000)';
      const answer = await fetch(`${suite().started.url}/?max_execution_time=1`, {
        method: 'POST',
        headers: headers(),
        body: `SELECT * FROM (${endless} SETTINGS max_execution_time = 0, readonly = 0)`,
      });
      expect(answer.headers.get('x-clickhouse-exception-code')).toBe('159');
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
        const answer = await ask(query);
        const failure = answer.ok ? '' : await answer.text();
        // A table without a sampling key says so only after the question was let through.
        if (failure !== '') expect(failure, query).toMatch(/sampling/i);
      }
    });
  });
}
