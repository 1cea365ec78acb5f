import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRandom } from './demo-world/random.ts';
import { readEndpoint } from './platform/warehouse-engine/embedded/endpoint.ts';
import { expectEnded } from './testing/processes.ts';
import { urlOf } from './testing/service/running-service.ts';
import {
  expectHealthy,
  readOffsets,
  startWorld,
  stopWorld,
  sumsOf,
  warehouseOf,
} from './testing/service/served-world.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const TIMEOUT_MS = 480_000;
/** Told to stop and killed by turns, so long after each start. */
const MOMENTS_MS = [150, 500, 900, 1_300, 1_900, 2_600, 5_000, 3_600, 4_300];

const runUndisturbed = async () => {
  const folder = temporaryFolder();
  const server = startWorld(folder);
  await urlOf(server);
  await stopWorld(server);
  return { sums: await sumsOf(warehouseOf(folder)), offsets: await readOffsets(folder) };
};

test(
  'killed with −9 or told to stop at any moment of its start and of reading in, it leaves no process, and the tables are those of an undisturbed run',
  async () => {
    const { sums, offsets } = await runUndisturbed();
    const folder = temporaryFolder();
    const random = createRandom(7);
    for (const [i, momentMs] of MOMENTS_MS.entries()) {
      const server = startWorld(folder);
      await sleep(momentMs * (0.8 + 0.4 * random.unit()));
      const children = server.descendants();
      const isKilled = i % 2 === 1;
      server.process.kill(isKilled ? 'SIGKILL' : 'SIGTERM');
      const { code, signal } = await server.ended;
      // Before the first line of ours runs the signal itself ends it; from then on it ends in order.
      if (signal === 'SIGTERM') expect(server.stdout() + server.stderr()).toBe('');
      else if (!isKilled) expect(code, server.stderr()).toBe(0);
      expect(server.stderr(), `after ${momentMs} ms`).not.toMatch(/^\s+at /m);
      await expectEnded(children);
    }
    const server = startWorld(folder);
    // Its tables are there, and it reads in.
    await server.printed(/generating a world/);
    const engine = readEndpoint(warehouseOf(folder))?.pid ?? -1;
    expect(server.descendants()).toContain(engine);
    process.kill(engine, 'SIGKILL');
    await expectHealthy(await urlOf(server));
    await stopWorld(server);
    expect(await sumsOf(warehouseOf(folder))).toEqual(sums);
    expect(await readOffsets(folder)).toEqual(offsets);
  },
  TIMEOUT_MS,
);
