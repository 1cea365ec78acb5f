import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram, startProgram } from '../../testing/run-program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openLocalRegistry } from './local-registry.ts';

const REGISTERING = [process.execPath, 'services/testing/registering-process.ts'] as const;
const SCHEMAS = 40;

/** Ids and the names that they were handed out for. */
const handedOut = (stdout: string): [id: number, name: string][] =>
  [...stdout.matchAll(/^(\d+) (\S+)$/gm)].map(([, id, name = '']) => [Number(id), name]);

test('processes that register at one moment hand out no id twice, and lose none', async () => {
  const path = join(temporaryFolder(), 'schemas.json');
  const runs = await Promise.all(
    ['A', 'B', 'C'].map((prefix) => runProgram(REGISTERING, [path, prefix, `${SCHEMAS}`], {})),
  );
  for (const { code, stderr } of runs) expect(code, stderr).toBe(0);
  const ids = runs.flatMap(({ stdout }) => handedOut(stdout));
  expect(new Set(ids.map(([id]) => id)).size).toBe(runs.length * SCHEMAS);
  const registry = openLocalRegistry(path);
  for (const [id, name] of ids) expect(await registry.schemaOf(id)).toMatchObject({ name });
});

test('a process killed while it registers holds up nobody, and no id that it handed out is lost', async () => {
  const path = join(temporaryFolder(), 'schemas.json');
  const ids: [number, string][] = [];
  for (const prefix of ['A', 'B', 'C']) {
    const program = startProgram(REGISTERING, [path, prefix, '1000'], {});
    await program.printed(new RegExp(`^\\d+ ${prefix}5$`, 'm'));
    program.process.kill('SIGKILL');
    await program.ended;
    ids.push(...handedOut(program.stdout()));
  }
  const registry = openLocalRegistry(path);
  for (const [id, name] of ids) expect(await registry.schemaOf(id)).toMatchObject({ name });
});
