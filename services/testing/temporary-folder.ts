import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is gone when the test has ended. Made before any program that works in it: ends come in turn, last first. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
