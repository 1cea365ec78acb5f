import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

type Name = 'payment-secret' | 'sign-in-secret';

/**
 * A secret of a store for one purpose: of the configured one, or of a file that all processes on its folder share, made by
 * the first one. What a process with another one made is refused by these, and the client asks again: offers of payment,
 * challenges to sign.
 */
export const openSecret = (folder: string, name: Name, configured: Uint8Array | null): Uint8Array =>
  configured === null
    ? openSecretFile(folder, name)
    : new Uint8Array(hkdfSync('sha256', configured, '', `spoor ${name}`, BYTES));

const openSecretFile = (folder: string, name: Name): Uint8Array => {
  const path = join(folder, name);
  // Processes of several machines may share the folder, and with it their process ids.
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, randomBytes(BYTES), { mode: 0o600, flush: true });
    // Whole or not at all, and only the first one's.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const secret = readFileSync(path);
  // With half a key anybody could sign.
  if (secret.length !== BYTES) throw new Error(`${path} is damaged: it must have ${BYTES} bytes`);
  return secret;
};
