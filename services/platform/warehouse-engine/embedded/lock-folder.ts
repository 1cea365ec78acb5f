import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../../event-log/embedded/log-file-error.ts';

let held: DatabaseSync | null = null;

/**
 * Takes the folder for as long as this process runs: SQLite's lock on a file that stays, which the system gives back however the
 * process ends. False where another process has it.
 */
export const lockFolder = (folder: string): boolean => {
  const lock = new DatabaseSync(join(folder, 'engine.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    held = lock;
    return held !== null;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return false;
    throw error;
  }
};
