import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from './event-log/embedded/in-transaction.ts';
import { isBusy } from './event-log/embedded/log-file-error.ts';

const WAIT_MS = 10_000;
const RETRY_MS = 10;

export class FileLockedError extends Error {
  readonly code = 'file_locked';
  constructor(path: string) {
    super(`${path} has been locked by another process for too long; end that process, or wait and try again`);
    this.name = 'FileLockedError';
  }
}

/**
 * Runs the body while this process holds the lock of that name: an empty file that remains. SQLite locks it,
 * as it locks the event log, so that the system releases it however its holder ends. Throws
 * `FileLockedError`, and SQLite's errors when the file cannot be created.
 */
export const withFileLock = async <T>(path: string, body: () => T, waitMs = WAIT_MS): Promise<T> => {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    for (const deadline = performance.now() + waitMs; ; await sleep(RETRY_MS)) {
      try {
        return inTransaction(db, body);
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() >= deadline) throw new FileLockedError(path);
      }
    }
  } finally {
    db.close();
  }
};
