import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { PROGRAMS, type Program, runProgram, startProgram } from '../../testing/run-program.ts';
import { stopProgram, urlOf } from '../../testing/service/running-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'spoor-sql-command-'));
const env = { SPOOR_DATA: join(folder, 'data'), SPOOR_PORT: '0' };
const sql = (...args: string[]) => runProgram(PROGRAMS.cli, ['sql', ...args], env);

beforeAll(async () => {
  const blocks = join(folder, 'blocks');
  writeBlockFiles(blocks, { seed: 21, people: 6, days: 1, blockSeconds: 3_600 });
  const replayed = await runProgram(PROGRAMS.cli, ['replay', blocks], env);
  expect(replayed.code, replayed.stderr).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COUNT = 'SELECT chain, count() AS transfers FROM transfers GROUP BY chain ORDER BY chain';

test('a store that nobody serves is asked by an engine of its own, in each format', async () => {
  const csv = await sql('--format', 'csv', COUNT);
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

test('what is refused ends with the engine’s words, and names of strangers give no orders to a terminal', async () => {
  const refused = await sql('SELECT * FROM spoor.transfers');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^spoor: Code: 497\. .*Not enough privileges/);
  expect((await sql("SELECT '\u001b[2J' AS n")).stdout).toContain('?[2J');
});

test('while a service runs it is asked, and by its address from anywhere', async () => {
  const service: Program = startProgram(PROGRAMS.server, [], env);
  try {
    await urlOf(service);
    const asked = await sql('--format', 'csv', COUNT);
    expect(asked.stdout, asked.stderr).toMatch(/"ethereum",[1-9]/);
    const login = await runProgram(PROGRAMS.cli, ['sql-login', '--json'], env);
    const { host, port, user, password, database } = JSON.parse(login.stdout) as Record<string, string>;
    const url = `http://${user}:${password}@${host}:${port}/?database=${database}`;
    const elsewhere = await runProgram(PROGRAMS.cli, ['sql', '--url', url, '--format', 'csv', COUNT], {
      SPOOR_DATA: join(folder, 'nothing'),
    });
    expect(elsewhere.stdout, elsewhere.stderr).toBe(asked.stdout);
  } finally {
    await stopProgram(service);
  }
  const nothing = await runProgram(PROGRAMS.cli, ['sql', COUNT], { SPOOR_DATA: join(folder, 'nothing') });
  expect(nothing).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^spoor: there are no tables in /),
  });
});
