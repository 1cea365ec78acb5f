import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

/**
 * A secret of a store, shared by all processes on its folder; made by the first one. What a process on another folder made
 * with its own is refused by these, and the client asks again: offers of payment, challenges to sign.
 */
export const openSecret = (folder: string, name: 'payment-secret' | 'sign-in-secret'): Uint8Array => {
  const path = join(folder, name);
  // Processes of several machines may share the folder, and with it their process ids.
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, randomBytes(BYTES), { mode: 0o600, flush: true });
  try {
    // Whole or not at all, and only the first one's.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  const secret = readFileSync(path);
  // With half a key anybody could sign.
  if (secret.length !== BYTES) throw new Error(`${path} is damaged: it must have ${BYTES} bytes`);
  return secret;
};
