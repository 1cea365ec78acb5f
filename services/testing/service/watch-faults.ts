import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect } from 'vitest';
import type { Program } from '../run-program.ts';
import type { TableSums } from '../table-sums.ts';
import { statusOf, stopProgram } from './running-service.ts';
import { ofBlocks, undisturbedTables } from './undisturbed-tables.ts';

const PATIENCE = { timeout: 120_000, interval: 100 };
const LOOK_MS = 250;
const MIB = 1 << 20;
/**
 * A batch of the sink, appends that wait, and most of all what the runtime takes in its first minutes: over two and a half
 * minutes without tables it grew by 100 MB and no further.
 */
const GROWTH_BYTES_MAX = 128 * MIB;

export type Fault = {
  /** Who lives through it, and answers meanwhile. */
  readonly program: Program;
  readonly url: string;
  begin(): unknown;
  readonly lastsMs: number;
  end(): unknown;
  /** What `/status` has to say of its components as long as it lasts, and not before nor after. */
  readonly says: object;
};

export type FaultWatch = {
  /** Lets a fault happen. Fails where the service says anything else than what is so, or does not live. */
  during(fault: Fault): Promise<void>;
  /** What this process' memory grows by from now to the end of the test counts too. */
  observe(program: Program): void;
  /** What still runs is stopped and the tables are summed at the end of the test that is running. */
  atEnd(running: readonly Program[], sumTables: () => Promise<Record<string, TableSums>>): void;
};

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/**
 * For the tests of a file, each of which disturbs the gated chains' way into the tables. After each of them: the tables hold
 * what an undisturbed run makes of them, row for row and in sum; and memory grew no further than a bound during any fault.
 */
export const watchFaults = (): FaultWatch => {
  let sumTables: (() => Promise<Record<string, TableSums>>) | null = null;
  const growths: number[] = [];
  let observed: (() => number)[] = [];

  afterEach(async ({ task }) => {
    const [sum, last] = [sumTables, observed];
    const grown = growths.splice(0);
    sumTables = null;
    observed = [];
    if (task.result?.state !== 'pass') return;
    for (const grownBy of last) grown.push(grownBy());
    if (!sum) throw new TypeError('a test of faults says at its end what the tables hold');
    expect(ofBlocks(await sum())).toEqual(await undisturbedTables());
    expect(Math.max(0, ...grown)).toBeLessThan(GROWTH_BYTES_MAX);
  });

  return {
    during: async ({ program, url, begin, lastsMs, end, says }) => {
      const status = () => statusOf(url);
      const truth = { components: says };
      expect(await status()).not.toMatchObject(truth);
      const before = rssOf(program.pid);
      await begin();
      await expect.poll(status, PATIENCE).toMatchObject(truth);
      for (const endMs = performance.now() + lastsMs; performance.now() < endMs; await sleep(LOOK_MS)) {
        expect(await status()).toMatchObject(truth);
        expect((await fetch(`${url}/livez`)).status).toBe(200);
        growths.push(rssOf(program.pid) - before);
      }
      await end();
      await expect.poll(status, PATIENCE).not.toMatchObject(truth);
    },
    observe: ({ pid }) => {
      const before = rssOf(pid);
      observed.push(() => rssOf(pid) - before);
    },
    atEnd: (running, sum) => {
      sumTables = async () => {
        await Promise.all(running.map(stopProgram));
        return sum();
      };
    },
  };
};
