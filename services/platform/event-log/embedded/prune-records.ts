import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './in-transaction.ts';
import { recordsTable } from './register-topics.ts';

/** One step blocks appends for as long as it takes to free this much. */
const STEP_RECORDS_MAX = 10_000;
const STEP_BYTES_MAX = 32 * 1024 * 1024;
const STEP_PAGES_MAX = STEP_BYTES_MAX / 8192;

/**
 * Deletes the oldest records of a partition up to the first one that is not older than `beforeUnixMs`,
 * consumed or not (as Kafka does), and returns the space to the disk. One bounded step for each call.
 */
export const createPruneRecords = (db: DatabaseSync) => {
  const moveBegin = db.prepare('UPDATE partitions SET begin_offset = ? WHERE id = ?');

  const firstKept = (id: number, beforeUnixMs: number): { offset: number | null; more: boolean } => {
    const rows = db
      .prepare(
        `SELECT offset, time_unix_ms AS time, length(value) AS bytes FROM ${recordsTable(id)} ORDER BY offset LIMIT ?`,
      )
      .iterate(STEP_RECORDS_MAX);
    let offset: number | null = null;
    let records = 0;
    let bytes = 0;
    for (const row of rows) {
      if (Number(row.time) >= beforeUnixMs) return { offset, more: false };
      if (bytes >= STEP_BYTES_MAX) return { offset, more: true };
      offset = Number(row.offset) + 1;
      records++;
      bytes += Number(row.bytes);
    }
    return { offset, more: records === STEP_RECORDS_MAX };
  };

  /** `more` when another step would delete more. */
  return ({ partitionId, beforeUnixMs }: { partitionId: number; beforeUnixMs: number }) => {
    const step = inTransaction(db, () => {
      const { offset, more } = firstKept(partitionId, beforeUnixMs);
      if (offset === null) return { deleted: 0, more: false };
      const { changes } = db.prepare(`DELETE FROM ${recordsTable(partitionId)} WHERE offset < ?`).run(offset);
      moveBegin.run(offset, partitionId);
      return { deleted: Number(changes), more };
    });
    if (step.deleted > 0) db.exec(`PRAGMA incremental_vacuum(${STEP_PAGES_MAX})`);
    return step;
  };
};
