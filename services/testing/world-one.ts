import { expect, vi } from 'vitest';
import { PROGRAMS, type Program, runProgram } from './run-program.ts';
import { metricsOf, urlOf } from './service/running-service.ts';
import { startWorld } from './service/served-world.ts';

/** A service over world 1. */
export type WorldOne = {
  /** Its data. */
  readonly folder: string;
  readonly server: Program;
  readonly url: string;
  /** For `askAnalyst`. */
  readonly analystUrl: string;
};

export const serveWorldOne = async (folder: string): Promise<WorldOne> => {
  // Nobody asks meanwhile.
  const server = startWorld(folder, { SPOOR_DERIVE_PERCENT: '100' });
  const url = await urlOf(server);
  return { folder, server, url, analystUrl: await readAnalystUrl(folder) };
};

const readAnalystUrl = async (folder: string): Promise<string> => {
  const { stdout, stderr, code } = await runProgram(PROGRAMS.cli, ['sql-login', '--json'], {
    SPOOR_DATA: folder,
  });
  expect(code, stderr).toBe(0);
  const { host, port, user, password, database } = JSON.parse(stdout) as Record<string, string>;
  return `http://${user}:${password}@${host}:${port}/?database=${database}`;
};

/** One idle round is not enough, because derived labels lead to more facts in the next round. */
const IDLE_ROUNDS = 2;

/** Until nothing is left to derive. */
export const untilDerived = async ({ server }: WorldOne): Promise<void> => {
  let [worked, idleBefore] = [-1, 0];
  const isDerived = async (): Promise<boolean> => {
    const metrics = await metricsOf(server);
    const count = (work: string): number =>
      Number(
        new RegExp(`^spoor_derivation_rounds_total\\{work="${work}"\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0,
      );
    if (count('facts') !== worked) [worked, idleBefore] = [count('facts'), count('nothing')];
    return worked > 0 && count('nothing') - idleBefore >= IDLE_ROUNDS;
  };
  await vi.waitUntil(isDerived, { timeout: 600_000, interval: 1_000 });
};
