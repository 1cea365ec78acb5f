import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

/**
 * A secret of a store, shared by all processes on its folder; made by the first one. What a process on another folder made
 * with its own is refused by these, and the client asks again: offers of payment, challenges to sign.
 */
export const openSecret = (folder: string, name: 'payment-secret' | 'sign-in-secret'): Uint8Array => {
  const path = join(folder, name);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, randomBytes(BYTES), { mode: 0o600 });
  try {
    // Whole or not at all, and only the first one's.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path);
};
