import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeBlockFiles } from '../demo-world/write-block-files.ts';
import { openStore } from '../roles/store/open-store.ts';
import { PATIENCE } from '../testing/patience.ts';
import { descendantsOf, expectEnded, isRunning } from '../testing/processes.ts';
import { environment } from '../testing/run-program.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** npm, and what it started, once that has begun its work. */
const startUnderNpm = async (args: readonly string[], env: Record<string, string>, working: RegExp) => {
  const npm = spawn('npm', args, {
    cwd: ROOT,
    env: environment({ SPOOR_DATA: temporaryFolder(), ...env }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await expect.poll(() => said, PATIENCE).toMatch(working);
  const pids = descendantsOf(npm.pid ?? -1);
  onTestFinished(() => {
    for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  });
  return { npm, pids };
};

test.each([
  ['npm start', ['start']],
  ['npx', ['exec', '--offline', '--', 'spoor', 'start', 'ledger']],
])(
  'a service that %s has started ends when that is ended, though it passes no signal on',
  async (_name, args) => {
    const { npm, pids } = await startUnderNpm(args, { SPOOR_PORT: '0' }, /"msg":"listening"/);
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    await expectEnded(pids);
  },
);

test('a replay that npx has started ends with it, before its last file', async () => {
  const folder = temporaryFolder();
  const { blocks } = writeBlockFiles(folder, { seed: 4, people: 40, days: 2, blockSeconds: 300 });
  const env = { SPOOR_DATA: temporaryFolder() };
  const args = ['exec', '--offline', '--', 'spoor', 'replay', folder];
  const { npm, pids } = await startUnderNpm(args, env, / files, \d+ blocks/);
  npm.kill('SIGTERM');
  await once(npm, 'exit');
  await expectEnded(pids);
  const store = await openStore({ dataFolder: env.SPOOR_DATA, name: 'chain', maxQueuedBytes: 1 << 20 });
  const ranges = await store.log.ranges('ingest.checkpoints');
  await store.close();
  expect(ranges.reduce((done, { begin, end }) => done + end - begin, 0)).toBeLessThan(blocks);
});
