import { spawnSync } from 'node:child_process';
import { rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

/** A disk of 48 MB. */
export type SmallDisk = {
  readonly folder: string;
  /** Leaves so many bytes free, of what is free. */
  fill(bytesLeft: number): void;
  /** Gives back what filling took. */
  free(): void;
};

// Parts of Linux' own tools.
const TOOLS = { mount: 'mount', umount: 'umount', dd: 'dd' };

/** Unmounted after the test, which is left out, with the reason, where a disk cannot be made. */
export const mountSmallDisk = ({ skip }: Pick<TestContext, 'skip'>): SmallDisk => {
  const folder = temporaryFolder();
  const { status } = spawnSync(TOOLS.mount, ['-t', 'tmpfs', '-o', 'size=48m', 'none', folder]);
  if (status !== 0) skip("only a system's administrator can make a small disk");
  onTestFinished(() => void spawnSync(TOOLS.umount, [folder]));
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: (bytesLeft) => {
      spawnSync(TOOLS.dd, ['if=/dev/zero', `of=${ballast}`, 'bs=64k', 'oflag=append', 'conv=notrunc']);
      truncateSync(ballast, statSync(ballast).size - bytesLeft);
    },
    free: () => rmSync(ballast),
  };
};
