import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
const BYTES_NEEDED = 4 * 2 ** 30;

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= BYTES_NEEDED;
  } catch {
    return false;
  }
};

/**
 * Makes a folder for all that tests write, gone with this process, and gives its path: in memory, where there is enough of
 * it. A kill loses as little there as on a disk, and nobody waits for a disk at each write that has to be durable.
 */
export const makeRunFolder = (): string => {
  const folder = mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), 'spoor-tests-'));
  // Tests that give up root's rights still find their own folders in it.
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
