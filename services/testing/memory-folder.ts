import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
const BYTES_NEEDED = 4 * 2 ** 30;

/**
 * Makes a folder in memory, gone with this process, and gives its path; null where there is none or too little room. A kill loses
 * as little there as on a disk, and nobody waits for a disk at each write that has to be durable.
 */
export const makeMemoryFolder = (): string | null => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < BYTES_NEEDED) return null;
    const folder = mkdtempSync(join(MEMORY, 'spoor-tests-'));
    // Tests that give up root's rights still find their own folders in it.
    chmodSync(folder, 0o711);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  } catch {
    return null;
  }
};
