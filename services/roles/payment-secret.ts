import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

/**
 * What ties offers of payment to their requests, for all processes on this folder; made by the first one. Where
 * processes have folders of their own, an offer of one is refused by another, and the client gets a new one.
 */
export const openPaymentSecret = (folder: string): Uint8Array => {
  const path = join(folder, 'payment-secret');
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
