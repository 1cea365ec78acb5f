import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

const WAL_BYTES_MAX = 64 * 1024 * 1024;

export const fileBytes = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Appends wait for this while the log is being emptied. */
const EMPTYING_TIMEOUT_MS = 200;

const emptyWal = (db: DatabaseSync): boolean => {
  const timeout = Number(db.prepare('PRAGMA busy_timeout').get()?.timeout);
  try {
    db.exec(`PRAGMA busy_timeout = ${EMPTYING_TIMEOUT_MS}`);
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } catch {
    // A full disk, say: what was appended is safe in the write-ahead log, and the next append tells of it.
    return false;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
};

/**
 * SQLite begins its write-ahead log anew only at a moment without readers, which may never come while several
 * processes read. Past the limit this waits for that moment; where it does not come (a reader that was stopped), it
 * asks again only after as much growth, so that appends never wait for long.
 */
export const createBoundWal = (db: DatabaseSync, file: string, walBytesMax = WAL_BYTES_MAX): (() => void) => {
  let nextEmptyBytes = walBytesMax;
  return () => {
    const bytes = fileBytes(`${file}-wal`);
    if (bytes >= nextEmptyBytes) nextEmptyBytes = emptyWal(db) ? walBytesMax : bytes + walBytesMax;
    else if (bytes < walBytesMax) nextEmptyBytes = walBytesMax;
  };
};
