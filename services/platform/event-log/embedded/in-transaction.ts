import type { DatabaseSync } from 'node:sqlite';

/**
 * Runs the body in one write transaction, begun with the write lock: no other process can make stale what it reads.
 * Durable when it returns; nothing is kept when it throws.
 */
export const inTransaction = <T>(db: DatabaseSync, body: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = body();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some errors (disk full, I/O).
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
};
