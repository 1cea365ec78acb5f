import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { launcher, PROGRAMS, runProgram, startProgram } from '../../testing/run-program.ts';
import { sumTablesIn } from '../../testing/table-sums.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

type Totals = { name: string; blocks: number };

const tablesOf = (dataFolder: string) => sumTablesIn(join(dataFolder, 'chain', 'warehouse'));
const replay = (dataFolder: string, ...args: string[]) =>
  runProgram(PROGRAMS.cli, ['replay', '--json', ...args], { SPOOR_DATA: dataFolder });

describe('an interrupted run', () => {
  const interrupt = async (command: readonly [string, string], signal: 'SIGINT' | 'SIGTERM') => {
    const folder = temporaryFolder();
    const { blocks } = writeBlockFiles(folder, { seed: 4, people: 40, days: 1, blockSeconds: 300 });
    const dataFolder = temporaryFolder();
    const program = startProgram(command, ['replay', '--json', folder], { SPOOR_DATA: dataFolder });
    await program.printed(/ files, \d+ blocks/);
    await sleep(100);
    program.process.kill(signal);
    const ending = await program.ended;
    return { folder, blocks, dataFolder, ending, program };
  };

  test('ends in order with 130, and the next one goes on where it was', async () => {
    const { folder, blocks, dataFolder, ending, program } = await interrupt(PROGRAMS.cli, 'SIGINT');
    expect(ending, program.stderr()).toEqual({ code: 130, signal: null });
    const done = (JSON.parse(program.stdout()) as Totals).blocks;
    expect(done).toBeLessThan(blocks);
    const next = await replay(dataFolder, folder);
    expect(next.code, next.stderr).toBe(0);
    expect(JSON.parse(next.stdout)).toMatchObject({ blocks: blocks - done, done_before: done });
    const undisturbed = temporaryFolder();
    await replay(undisturbed, folder);
    expect(await tablesOf(dataFolder)).toEqual(await tablesOf(undisturbed));
  });

  test.each(['it alone', 'all of them, as a terminal does'])(
    'before it has read a file says so too: %s',
    async (told) => {
      const folder = temporaryFolder();
      writeBlockFiles(folder, { seed: 4, people: 12, days: 1, blockSeconds: 900 });
      const program = startProgram(PROGRAMS.cli, ['replay', folder], { SPOOR_DATA: temporaryFolder() });
      // The engine of the tables is starting: files are read once it runs.
      while (program.descendants().length === 0) await sleep(5);
      const engines = told === 'it alone' ? [] : program.descendants();
      for (const pid of [program.pid, ...engines]) process.kill(pid, 'SIGINT');
      expect(await program.ended).toMatchObject({ code: 130 });
      expect(program.stderr()).toContain('interrupted: what is in the log stays');
      expect(program.stderr()).not.toContain('all files read');
    },
  );

  const own = launcher();
  test.skipIf(!own)('before it has begun is never told as done by the launcher', async () => {
    const program = startProgram(own ?? PROGRAMS.cli, ['replay', temporaryFolder()], {
      SPOOR_DATA: temporaryFolder(),
    });
    while (program.descendants().length === 0) await sleep(5);
    await sleep(100);
    program.process.kill('SIGTERM');
    expect(await program.ended).not.toMatchObject({ code: 0 });
  });

  test.skipIf(!own)('that was started by the launcher of an older Node ends in order, too', async () => {
    const { ending, program } = await interrupt(own ?? PROGRAMS.cli, 'SIGTERM');
    expect(ending, program.stderr()).toEqual({ code: 130, signal: null });
    expect((JSON.parse(program.stdout()) as Totals).name).toBe('replay');
  });
});
