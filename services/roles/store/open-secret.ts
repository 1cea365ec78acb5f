import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

type Name = 'payment-secret' | 'sign-in-secret' | 'continuation-secret';

/**
 * A store's secret for one purpose, derived from the configured one or from a file that the first process creates.
 * Processes with another secret refuse each other's offers and challenges, and clients ask again.
 */
export const openSecret = (folder: string, name: Name, configured: Uint8Array | null): Uint8Array =>
  configured === null
    ? openSecretFile(folder, name)
    : new Uint8Array(hkdfSync('sha256', configured, '', `spoor ${name}`, BYTES));

const openSecretFile = (folder: string, name: Name): Uint8Array => {
  const path = join(folder, name);
  // Machines may share the folder, and with it process ids.
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, randomBytes(BYTES), { mode: 0o600, flush: true });
    // Written completely or not at all; the first process wins.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const secret = readFileSync(path);
  // Half a secret would let anybody sign.
  if (secret.length !== BYTES) throw new Error(`${path} is damaged: it must have ${BYTES} bytes`);
  return secret;
};
