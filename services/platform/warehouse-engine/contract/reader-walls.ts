import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Suite } from './suite.ts';

/** What a reader cannot do, whatever it writes. */
export function describeReaderWalls(suite: () => Suite): void {
  describe('a reader', () => {
    const marker = join(tmpdir(), `spoor-outfile-${process.pid}-${Date.now()}`);
    // Refused, not grammatical, or naming what a reader cannot see; a connection that failed or a file that could not
    // be parsed would be none of these.
    const REFUSALS = ['36', '46', '47', '48', '60', '62', '81', '164', '291', '452', '456', '497'];
    const refused = (query: string, params: Record<string, unknown> = {}) =>
      suite()
        .rows(query, params)
        .then(
          (answer) => Promise.reject(new Error(`answered ${JSON.stringify(answer).slice(0, 200)}: ${query}`)),
          (error: { code?: string }) => expect(REFUSALS, `${query}: ${String(error)}`).toContain(error.code),
        );

    beforeAll(async () => {
      await suite().table('guarded', 'a UInt32');
      await suite().writer.insert({ table: 'guarded', values: [{ a: 1 }], format: 'JSONEachRow' });
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
        'SELECT 1 SETTINGS `readonly` = 0',
        'SELECT * FROM (SELECT 1 SETTINGS "max_execution_time" = 0)',
        'SELECT 1 SETTINGS a.b = 0',
      ]) {
        await refused(query);
      }
      expect(await suite().rows('SELECT a FROM guarded')).toEqual([[1]]);
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
        // Where a text holds an expression, no part of the statement shows what it calls.
        ...[
          "file(''/etc/hostname'')",
          '(SELECT any(query) FROM system.processes)',
          "(SELECT any(line) FROM file(''/etc/hostname'', ''LineAsString''))",
          "getSetting(''max_threads'')",
          'hostName()',
          'toString(sleep(1))',
        ].flatMap((expression) =>
          ['ALIAS', 'DEFAULT', 'MATERIALIZED', 'EPHEMERAL'].map(
            (kind) => `SELECT b FROM values('a UInt8, b String ${kind} ${expression}', 1)`,
          ),
        ),
        "SELECT * FROM VALUES('a UInt8, b String ALIAS file(''/etc/hostname'')', 1)",
        "DESCRIBE TABLE values('a UInt8, b String ALIAS file(''/etc/hostname'')', 1)",
        'SELECT * FROM values({columns:String}, 1)',
        "SELECT structureToProtobufSchema('a UInt8 DEFAULT file(''/etc/hostname'')')",
        "SELECT structureToCapnProtoSchema('a UInt8 DEFAULT file(''/etc/hostname'')')",
        "SELECT * FROM generateRandom('a UInt8, b String ALIAS file(''/etc/hostname'')')",
        "SELECT * FROM null('a UInt8, b String ALIAS file(''/etc/hostname'')')",
        "SELECT * FROM format(CSV, 'a UInt8, b String ALIAS file(''/etc/hostname'')', '1')",
        "SELECT * FROM viewExplain('EXPLAIN TABLE OVERRIDE', '', (SELECT 1))",
      ]) {
        await refused(query);
      }
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
      const elsewhere = await fetch(`${suite().started.url}/?database=system&query=SELECT+*+FROM+disks`, {
        headers: suite().started.readerHeaders,
      });
      expect(elsewhere.ok).toBe(false);
    });

    test('cannot name by a parameter what it cannot see', async () => {
      for (const query of [
        'SELECT * FROM {whole:Identifier}',
        'SELECT * FROM {database:Identifier}.{table:Identifier}',
        'SELECT * FROM {database:Identifier}.disks',
        "SELECT ('a', 'b') IN {database:Identifier}.{table:Identifier}",
        'SELECT 1 IN {database:Identifier}.one',
        'SHOW TABLES FROM {database:Identifier}',
        'SHOW COLUMNS FROM disks FROM {database:Identifier}',
        'SHOW CREATE TABLE {database:Identifier}.disks',
        'EXISTS TABLE {database:Identifier}.disks',
        'DESCRIBE TABLE {database:Identifier}.disks',
      ]) {
        await refused(query, { whole: 'system.disks', database: 'system', table: 'disks' });
      }
    });

    test('cannot lift its limits through the address', async () => {
      for (const setting of [
        'readonly=0',
        'readonly=2',
        'allow_introspection_functions=1',
        'log_comment=x',
        'session_id=a',
      ]) {
        const answer = await fetch(`${suite().started.url}/?${setting}&query=SELECT+1`, {
          headers: suite().started.readerHeaders,
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
        const failure = await suite()
          .rows(query)
          .then(
            () => null,
            (error: Error) => error.message,
          );
        // A table without a sampling key says so only after the walls let the question through.
        if (failure !== null) expect(failure, query).toMatch(/sampling/i);
      }
    });
  });
}
