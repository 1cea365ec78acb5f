import type { DatabaseSync } from 'node:sqlite';

/**
 * Runs the body in one write transaction that begins with the write lock, so that no other process can change
 * what it reads. Durable when it returns; nothing is kept when it throws.
 */
export const inTransaction = <T>(db: DatabaseSync, body: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = body();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // After some errors (disk full, I/O) SQLite has already rolled back.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
};
