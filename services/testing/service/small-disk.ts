import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A disk of 48 MB. */
export type SmallDisk = {
  readonly folder: string;
  /** Leaves so many bytes free. */
  fill(bytesLeft: number): void;
  /** Gives back what filling took. */
  free(): void;
};

// Parts of Linux' own tools.
const TOOLS = { mount: 'mount', umount: 'umount', dd: 'dd' };

/** Unmounted after all tests of the file. null where a disk cannot be made: only a system's administrator can. */
export const mountSmallDisk = (): SmallDisk | null => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-small-disk-'));
  const mounted = spawnSync(TOOLS.mount, ['-t', 'tmpfs', '-o', 'size=48m', 'none', folder]).status === 0;
  afterAll(() => {
    if (mounted) spawnSync(TOOLS.umount, [folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  if (!mounted) return null;
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: (bytesLeft) => {
      spawnSync(TOOLS.dd, ['if=/dev/zero', `of=${ballast}`, 'bs=64k']);
      truncateSync(ballast, statSync(ballast).size - bytesLeft);
    },
    free: () => rmSync(ballast),
  };
};
