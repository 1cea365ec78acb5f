import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import { createRandom } from '../../demo-world/random.ts';
import { serveWorld } from '../../demo-world/rpc/serve-world.ts';
import { expectEnded } from '../../testing/processes.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, startProgram } from '../../testing/run-program.ts';
import { sumTablesIn } from '../../testing/table-sums.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const TIMEOUT_MS = 180_000;
const KILLS = 3;

const tablesOf = (dataFolder: string) => sumTablesIn(join(dataFolder, 'chain', 'warehouse'));

test(
  'killed with −9 at any moment, a range goes on from what the log holds, and the tables are those of an undisturbed run',
  async () => {
    const world = createWorld({ seed: 4, people: 12, days: 2, blockSeconds: 900 });
    const served = await serveWorld(world);
    const { first, last } = world.range.solana ?? { first: 0, last: 0 };
    const args = ['ingest', '--json', '--chain', 'solana', '--from', `${first}`, '--to', `${last}`];
    const env = (dataFolder: string) => ({
      SPOOR_DATA: dataFolder,
      SPOOR_CHAINS: `solana=${served.url}/solana`,
    });
    try {
      const [undisturbed, killed] = [temporaryFolder(), temporaryFolder()];
      expect((await runCommand(args, env(undisturbed))).code).toBe(0);
      const random = createRandom(9);
      for (let i = 0; i < KILLS; i++) {
        const program = startProgram(PROGRAMS.cli, args, env(killed));
        // From the first step that is durable on.
        await Promise.race([program.printed(/ blocks\/s|into the tables/), program.ended]);
        await sleep(random.between(0, 300));
        const engines = program.descendants();
        program.process.kill('SIGKILL');
        await program.ended;
        await expectEnded(engines);
      }
      const { code, stdout, stderr } = await runCommand(args, env(killed));
      expect(code, stderr).toBe(0);
      const { done, done_before } = JSON.parse(stdout) as { done: number; done_before: number };
      expect(done + done_before).toBe(last - first + 1);
      expect(done_before).toBeGreaterThan(0);
      expect(await tablesOf(killed)).toEqual(await tablesOf(undisturbed));
    } finally {
      await served.close();
    }
  },
  TIMEOUT_MS,
);
