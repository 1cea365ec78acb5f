import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { type FoundTool, findJava, findPython } from '../../testing/analyst-tools/find-tools.ts';
import { runToEnd } from '../../testing/engines/run-to-end.ts';
import { PROGRAMS, type Program, runProgram, startProgram } from '../../testing/run-program.ts';
import { stopProgram, urlOf } from '../../testing/service/running-service.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

type Login = Record<'host' | 'user' | 'password' | 'database' | 'curl' | 'jdbc', string> & { port: number };

const python = await findPython();
const java = await findJava();

describe('tools of analysts connect to a running service by what sql-login prints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-sql-'));
  const dataFolder = join(folder, 'data');
  const env = { SPOOR_DATA: dataFolder, SPOOR_PORT: '0' };
  let service: Program;
  let login: Login;
  beforeAll(async () => {
    const blocks = join(folder, 'blocks');
    writeBlockFiles(blocks, { seed: 21, people: 6, days: 1, blockSeconds: 3_600 });
    await runProgram(PROGRAMS.cli, ['replay', blocks], env);
    service = startProgram(PROGRAMS.server, [], env);
    await urlOf(service);
    const printed = await runProgram(PROGRAMS.cli, ['sql-login', '--json'], env);
    expect(printed.code, printed.stderr).toBe(0);
    login = JSON.parse(printed.stdout) as Login;
  });
  afterAll(async () => {
    await stopProgram(service);
    rmSync(folder, { recursive: true, force: true });
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

  test('@clickhouse/client', async () => {
    const rows = await asked();
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) expect(row[2]).toBe('123456789012345678901234567890');
  });

  test('curl, by the line as it stands', async () => {
    expect(Number(await runToEnd('sh', ['-c', login.curl]))).toBeGreaterThan(10);
  });

  const nameOf = (name: string, tool: FoundTool) => ('missing' in tool ? `${name} (${tool.missing})` : name);
  const run = (tool: FoundTool, args: readonly string[]): Promise<string> =>
    'run' in tool ? tool.run(args) : Promise.reject(new Error(tool.missing));

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

  test('a service that does not run has no login, and says so', async () => {
    const away = await runProgram(PROGRAMS.cli, ['sql-login'], { ...env, SPOOR_DATA: temporaryFolder() });
    expect(away.code).toBe(1);
    expect(away.stderr).toMatch(/^spoor: no engine is running on .*\n$/);
  });
});
