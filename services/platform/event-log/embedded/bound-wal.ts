import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

const WAL_BYTES_MAX = 64 * 1024 * 1024;

export const fileBytes = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Appends wait this long at most while the write-ahead log is truncated. */
const EMPTYING_TIMEOUT_MS = 200;

const emptyWal = (db: DatabaseSync): boolean => {
  const timeout = Number(db.prepare('PRAGMA busy_timeout').get()?.timeout);
  try {
    db.exec(`PRAGMA busy_timeout = ${EMPTYING_TIMEOUT_MS}`);
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } catch {
    // For example a full disk. Appended records are safe in the write-ahead log, and the next append reports
    // the error.
    return false;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
};

/**
 * SQLite restarts its write-ahead log only at a moment without readers, which may never come while several
 * processes read. Beyond the size limit, this waits for such a moment. If none comes (a suspended reader), it
 * tries again only after the same growth, so that appends never wait long.
 */
export const createBoundWal = (db: DatabaseSync, file: string, walBytesMax = WAL_BYTES_MAX): (() => void) => {
  let nextEmptyBytes = walBytesMax;
  return () => {
    const bytes = fileBytes(`${file}-wal`);
    if (bytes >= nextEmptyBytes) nextEmptyBytes = emptyWal(db) ? walBytesMax : bytes + walBytesMax;
    else if (bytes < walBytesMax) nextEmptyBytes = walBytesMax;
  };
};
