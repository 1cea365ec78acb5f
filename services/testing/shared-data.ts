import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../../shared/data');

/** Absolute path inside the folder of real data that lies beside the checkout; it is read in place, never copied. */
export const sharedData = (path = ''): string => resolve(ROOT, path);

/** Groups tests that need the real data. Where it is absent they are skipped, and their name says why. */
export const describeWithSharedData = (name: string, body: () => void): void => {
  if (existsSync(ROOT)) describe(name, body);
  // The body is not run: it may list the folder that is not there.
  else describe.skip(`${name} (skipped: ../shared/data is absent)`, () => test.skip('reads real data'));
};
