import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../demo-world/random.ts';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { readEndpoint } from '../../platform/warehouse-engine/embedded/endpoint.ts';
import { expectEnded, isRunning } from '../../testing/processes.ts';
import { launcher, PROGRAMS, type Program, runProgram, startProgram } from '../../testing/run-program.ts';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import { sumTablesIn, type TableSums } from '../../testing/table-sums.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const LAUNCHER = launcher();
const TIMEOUT_MS = 480_000;
const STARTS_MAX = 30;

type Reference = { readonly sums: Record<string, TableSums>; readonly durationMs: number };
type Victim = 'cli' | 'engine' | 'launcher';

const warehouseOf = (dataFolder: string): string => join(dataFolder, 'chain', 'warehouse');

const replayUndisturbed = async (paths: readonly string[]): Promise<Reference> => {
  const dataFolder = temporaryFolder();
  const startedMs = performance.now();
  const { code, stderr } = await runProgram(PROGRAMS.cli, ['replay', ...paths], { SPOOR_DATA: dataFolder });
  expect(code, stderr).toBe(0);
  const durationMs = performance.now() - startedMs;
  const sums = await sumTablesIn(warehouseOf(dataFolder));
  expect(Number(sums.transfers?.rows)).toBeGreaterThan(1_000);
  return { sums, durationMs };
};

/** The engine of this very program; its folder may still name one that was killed earlier. */
const engineOf = (program: Program, dataFolder: string): number | null => {
  const pid = readEndpoint(warehouseOf(dataFolder))?.pid ?? -1;
  return program.descendants().includes(pid) ? pid : null;
};

const hasEnded = ({ process: { exitCode, signalCode } }: Program): boolean =>
  exitCode !== null || signalCode !== null;

/** What was under way when something was killed. */
const started = new Set<number>();

/** Kills the victim after this time, or as soon as it is there; false where the program ended before. */
const killLater = async (
  program: Program,
  victim: Victim,
  dataFolder: string,
  delayMs: number,
): Promise<boolean> => {
  await Promise.race([sleep(delayMs), program.ended]);
  while (!hasEnded(program)) {
    const pid = victim === 'engine' ? engineOf(program, dataFolder) : program.pid;
    if (pid !== null && isRunning(pid)) {
      for (const each of program.descendants()) started.add(each);
      process.kill(pid, 'SIGKILL');
      return true;
    }
    await sleep(5);
  }
  return false;
};

/** Starts the same command again until it ends by itself, killed on its way a few times. */
const replayKilled = async (request: {
  paths: readonly string[];
  victim: Victim;
  random: Random;
  durationMs: number;
  killsMax: number;
}): Promise<{ dataFolder: string; kills: number }> => {
  const { victim, random, durationMs, killsMax } = request;
  const dataFolder = temporaryFolder();
  // The engine is there for a part of the time only, and the run goes on without it.
  const reachMs = victim === 'engine' ? durationMs / 3 : durationMs;
  const command = victim === 'launcher' && LAUNCHER ? LAUNCHER : PROGRAMS.cli;
  let kills = 0;
  for (let starts = 1; starts <= STARTS_MAX; starts++) {
    const program = startProgram(command, ['replay', ...request.paths], { SPOOR_DATA: dataFolder });
    while (kills < killsMax && !hasEnded(program)) {
      // The first within a third of the time that an undisturbed run took: that one may have had less of the machine.
      const withinMs = kills === 0 ? durationMs / 3 : reachMs;
      if (await killLater(program, victim, dataFolder, random.unit() * withinMs)) kills += 1;
      if (victim !== 'engine') break;
    }
    const { code } = await program.ended;
    // Done before it could be killed again: what is finished stays finished.
    if (code === 0) return { dataFolder, kills };
  }
  throw new Error('the replay did not come to its end');
};

/** Each part of it is killed so many times on its way, at moments that follow from the seed. */
const describeKilledReplay = (
  name: string,
  request: {
    blocks: () => readonly string[];
    victims: readonly Victim[];
    seed: number;
    killsMax: number;
  },
): void => {
  const { blocks, victims, seed, killsMax } = request;
  describe(name, () => {
    test(
      'a replay killed with −9 at random moments and started again makes the tables of an undisturbed one',
      async () => {
        const { sums, durationMs } = await replayUndisturbed(blocks());
        const random = createRandom(seed);
        for (const victim of victims) {
          const killed = await replayKilled({ paths: blocks(), victim, random, durationMs, killsMax });
          expect(killed.kills, victim).toBeGreaterThan(0);
          expect(await sumTablesIn(warehouseOf(killed.dataFolder)), victim).toEqual(sums);
        }
        await expectEnded([...started]);
      },
      TIMEOUT_MS,
    );
  });
};

const blockFolder = mkdtempSync(join(tmpdir(), 'spoor-blocks-'));
beforeAll(() => {
  writeBlockFiles(blockFolder, { seed: 5, people: 60, days: 2, blockSeconds: 600 });
});
afterAll(() => rmSync(blockFolder, { recursive: true, force: true }));

const victims: readonly Victim[] = ['cli', 'engine', ...(LAUNCHER ? (['launcher'] as const) : [])];
describeKilledReplay('on generated blocks', { blocks: () => [blockFolder], victims, seed: 1, killsMax: 2 });
describeWithSharedData('on real blocks', () => {
  const blocks = () => [sharedData('solana/blocks'), sharedData('evm')];
  // The launcher has nothing to do with what is in the blocks.
  describeKilledReplay('of both families', { blocks, victims: ['cli', 'engine'], seed: 2, killsMax: 2 });
});
