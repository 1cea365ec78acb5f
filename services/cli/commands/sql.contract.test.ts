import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { createClient } from '@clickhouse/client';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { type FoundTool, findJava, findPandas, findPython } from '../../testing/analyst-tools/find-tools.ts';
import { runToEnd } from '../../testing/engines/run-to-end.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, type Program, runProgram, startProgram } from '../../testing/run-program.ts';
import { stopProgram, urlOf } from '../../testing/service/running-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'spoor-sql-'));
const env = { SPOOR_DATA: join(folder, 'data'), SPOOR_PORT: '0' };
const nothing = { SPOOR_DATA: join(folder, 'nothing') };
const sql = (...args: string[]) => runCommand(['sql', ...args], env);

beforeAll(async () => {
  const blocks = join(folder, 'blocks');
  writeBlockFiles(blocks, { seed: 21, people: 6, days: 1, blockSeconds: 3_600 });
  const replayed = await runCommand(['replay', blocks], env);
  expect(replayed.code, replayed.stderr).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COUNT = 'SELECT chain, count() AS transfers FROM transfers GROUP BY chain ORDER BY chain';

test('a store that nobody serves is asked by an engine of its own, in each format', async () => {
  const csv = await runProgram(PROGRAMS.cli, ['sql', '--format', 'csv', COUNT], env);
  expect(csv).toMatchObject({ code: 0, stderr: '' });
  expect(csv.stdout).toMatch(/^"chain","transfers"\n"ethereum",[1-9]\d*\n"solana",[1-9]\d*\n$/);
  const json = await sql('--format', 'json', `${COUNT}; SELECT 'two' AS n`);
  expect(
    json.stdout
      .trim()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line))),
  ).toEqual([...[['chain', 'transfers'], ['chain', 'transfers'], ['n']]]);
  expect((await sql(COUNT)).stdout).toContain('│ ethereum │');
  const file = join(folder, 'transfers.parquet');
  const parquet = await sql('--format', 'parquet', '--output', file, 'SELECT * FROM transfers');
  expect(parquet).toMatchObject({ code: 0, stdout: '' });
  const bytes = readFileSync(file);
  expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1']);
  expect(bytes.includes('from_address_shown')).toBe(true);
});

const LARGE = "toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935')";
const AMOUNTS = `SELECT toDecimal256('1.5', 18)::Nullable(Decimal(76, 18)) AS amount, ${LARGE} AS amount_raw,
  number, 'in'::Enum8('in' = 1, 'out' = 2) AS direction FROM numbers(2) ORDER BY number DESC -- of two`;

const readParquet = async (path: string) =>
  parquetReadObjects({
    file: await asyncBufferFromFile(path),
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
  });

test('amounts in Parquet are exact: text where they exceed what Parquet counts, in the order of the question', async () => {
  const file = join(folder, 'amounts.parquet');
  expect(await sql('--format', 'parquet', '--output', file, AMOUNTS)).toMatchObject({ code: 0 });
  const rows = await readParquet(file);
  const row = { amount: 1.5, amount_raw: String(2n ** 256n - 1n), direction: 'in' };
  expect(rows).toEqual([1n, 0n].map((number) => ({ ...row, number })));
  const names = await sql('--format', 'parquet', '--output', file, 'SHOW TABLES');
  expect(names).toMatchObject({ code: 0 });
  expect((await readParquet(file)).length).toBeGreaterThan(10);
});

const pandas = await findPandas();
test.skipIf('missing' in pandas)(
  `pandas reads them and sums them exactly${'missing' in pandas ? ` (${pandas.missing})` : ''}`,
  async () => {
    if (!('run' in pandas)) throw new Error(pandas.missing);
    const file = join(folder, 'pandas.parquet');
    await sql('--format', 'parquet', '--output', file, AMOUNTS);
    const lines = (await pandas.run([file])).trim().split('\n');
    const [first, , sums] = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(first).toEqual({
      ...{ amount: '1.500000000000000000', amount_raw: String(2n ** 256n - 1n) },
      ...{ number: '1', direction: 'in' },
    });
    expect(sums).toEqual({ amount: '3.000000000000000000', amount_raw: String(2n * (2n ** 256n - 1n)) });
  },
);

const REFUSED = 'SELECT * FROM spoor.transfers';
const REFUSAL = /^spoor: Code: 497\. .*Not enough privileges/;

test('what is refused ends with the engine’s words, and names of strangers give no orders to a terminal', async () => {
  const both = await sql(`SELECT '\u001b[2J' AS n; ${REFUSED}`);
  expect(both.stdout).toContain('?[2J');
  expect(both.code).toBe(1);
  expect(both.stderr).toMatch(REFUSAL);
});

test('where there are no tables, and where no service runs, it is said so', async () => {
  const unasked = await runCommand(['sql', COUNT], nothing);
  expect(unasked).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^spoor: there are no tables in /),
  });
  const away = await runProgram(PROGRAMS.cli, ['sql-login'], nothing);
  expect(away.code).toBe(1);
  expect(away.stderr).toMatch(/^spoor: no engine is running on .*\n$/);
});

type Login = Record<'host' | 'user' | 'password' | 'database' | 'curl' | 'jdbc', string> & { port: number };

const python = await findPython();
const java = await findJava();

describe('while a service runs', () => {
  let service: Program;
  let login: Login;
  beforeAll(async () => {
    service = startProgram(PROGRAMS.server, [], env);
    await urlOf(service);
    const printed = await runProgram(PROGRAMS.cli, ['sql-login', '--json'], env);
    expect(printed.code, printed.stderr).toBe(0);
    login = JSON.parse(printed.stdout) as Login;
  });
  afterAll(() => stopProgram(service));

  test('it is asked, and by its address from anywhere', async () => {
    const asked = await sql('--format', 'csv', COUNT);
    expect(asked.stdout, asked.stderr).toMatch(/"ethereum",[1-9]/);
    const { host, port, user, password, database } = login;
    const url = `http://${user}:${password}@${host}:${port}/?database=${database}`;
    const elsewhere = await runCommand(['sql', '--url', url, '--format', 'csv', COUNT], nothing);
    expect(elsewhere.stdout, elsewhere.stderr).toBe(asked.stdout);
    const refused = await runProgram(PROGRAMS.cli, ['sql', REFUSED], env);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(REFUSAL) });
  });

  /** More than one row, a text, a number that no double holds. */
  const QUESTION =
    "SELECT chain, toString(sum(amount)), toUInt256('123456789012345678901234567890') FROM transfers GROUP BY chain ORDER BY chain";
  const asked = async (): Promise<string[][]> => {
    const { host, port, user, password, database } = login;
    const client = createClient({ url: `http://${host}:${port}`, username: user, password, database });
    const answer = await client.query({ query: QUESTION, format: 'JSONCompactEachRow' });
    const rows = await answer.json<string[]>();
    await client.close();
    return rows;
  };
  const nameOf = (name: string, tool: FoundTool) => ('missing' in tool ? `${name} (${tool.missing})` : name);
  const run = (tool: FoundTool, args: readonly string[]): Promise<string> =>
    'run' in tool ? tool.run(args) : Promise.reject(new Error(tool.missing));

  describe('tools of analysts connect to it by what sql-login prints', () => {
    test('@clickhouse/client', async () => {
      const rows = await asked();
      expect(rows.length).toBeGreaterThan(1);
      for (const row of rows) expect(row[2]).toBe('123456789012345678901234567890');
    });

    test('curl, by the line as it stands', async () => {
      expect(Number(await runToEnd('sh', ['-c', login.curl]))).toBeGreaterThan(10);
    });

    test.skipIf('missing' in python)(nameOf('clickhouse-connect', python), async () => {
      const { host, port, user, password, database } = login;
      const printed = await run(python, [host, String(port), user, password, database, QUESTION]);
      expect(JSON.parse(printed)).toEqual(await asked());
    });

    test.skipIf('missing' in java)(nameOf('clickhouse-jdbc', java), async () => {
      const printed = await run(java, [login.jdbc, QUESTION]);
      const rows = printed.split('\n').filter((line) => line.includes('\t'));
      expect(rows.map((line) => line.split('\t'))).toEqual(await asked());
    });
  });
});
