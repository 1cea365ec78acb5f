import { realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../../platform/event-log/embedded/log-file-error.ts';
import { messageOf } from '../../platform/message-of.ts';
import { InputError } from './read-rows.ts';

class OutputHeldError extends Error {
  readonly code = 'output_held';
  constructor(out: string) {
    super(`another run writes ${out} right now: wait for its end, or name another file by --out`);
    this.name = 'OutputHeldError';
  }
}

/**
 * Makes this run the only one that writes the file, until the returned function is called. The lock is SQLite's on a
 * file beside it, so that the system releases it however the run ends. Throws `OutputHeldError` and `InputError`.
 */
export const holdOutput = (out: string): (() => void) => {
  const path = lockOf(out);
  for (;;) {
    const lock = openLock(path, out);
    // The run before may have deleted the file between our opening and locking it. Then the lock is nobody's.
    if (inodeOf(path) === lock.inode)
      return () => {
        rmSync(path, { force: true });
        lock.close();
      };
    lock.close();
  }
};

/** One lock, whichever way the folder is named. */
const lockOf = (out: string): string => {
  try {
    return join(realpathSync(dirname(out)), `${basename(out)}.lock`);
  } catch (error) {
    throw new InputError(`${out} cannot be written: ${messageOf(error)}`);
  }
};

const openLock = (path: string, out: string) => {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    const inode = inodeOf(path);
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    const opened = db;
    return { inode, close: () => opened.close() };
  } catch (error) {
    db?.close();
    if (isBusy(error)) throw new OutputHeldError(out);
    throw new InputError(`${out} cannot be written: ${messageOf(error)}`);
  }
};

const inodeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.ino ?? null;
