import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../../event-log/embedded/log-file-error.ts';

let held: DatabaseSync | null = null;

/**
 * Locks the folder for this process' lifetime with SQLite's lock on a permanent file, which the system
 * releases however the process ends. False when another process holds it.
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
