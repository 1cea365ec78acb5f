import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../testing/run-program.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { FileLockedError, withFileLock } from './with-file-lock.ts';

const HOLDING = [process.execPath, 'services/testing/lock-holding-process.ts'] as const;

test('a lock is kept by a process that stands still, and free at once when it is killed', async () => {
  const path = join(temporaryFolder(), 'lock');
  const holder = startProgram(HOLDING, [path], {});
  await holder.printed(/^held$/m);
  await expect(withFileLock(path, () => 'mine', 0)).rejects.toThrow(FileLockedError);
  holder.process.kill('SIGKILL');
  await holder.ended;
  expect(await withFileLock(path, () => 'mine', 0)).toBe('mine');
});

test('a lock is given back when what was done under it failed', async () => {
  const path = join(temporaryFolder(), 'lock');
  const failing = withFileLock(path, () => {
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(await withFileLock(path, () => 'mine', 0)).toBe('mine');
});
