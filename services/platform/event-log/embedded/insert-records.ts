import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { unpackRecords } from './packed-records.ts';
import { recordsTable } from './register-topics.ts';

export type RecordPack = { readonly pack: Uint8Array; readonly records: number };

type Partition = { readonly insert: StatementSync; nextOffset: number };

/**
 * Writes a pack of records inside the caller's transaction and returns their offsets in order. Reads the next
 * offsets inside the transaction, because another process may have appended.
 */
export const createInsertRecords = (db: DatabaseSync) => {
  const inserts = new Map<number, StatementSync>();
  const readNext = db.prepare('SELECT next_offset FROM partitions WHERE id = ?');
  const writeNext = db.prepare('UPDATE partitions SET next_offset = ? WHERE id = ?');

  const insertInto = (id: number): StatementSync => {
    const known = inserts.get(id);
    if (known !== undefined) return known;
    const statement = db.prepare(
      `INSERT INTO ${recordsTable(id)} (offset, time_unix_ms, key, headers, value) VALUES (?, ?, ?, ?, ?)`,
    );
    inserts.set(id, statement);
    return statement;
  };

  const begin = (id: number): Partition => ({
    insert: insertInto(id),
    nextOffset: Number(readNext.get(id)?.next_offset),
  });

  return ({ pack, records }: RecordPack): Float64Array<ArrayBuffer> => {
    const offsets = new Float64Array(records);
    const touched = new Map<number, Partition>();
    let row = 0;
    for (const { partitionId, timeUnixMs, key, headers, value } of unpackRecords(pack)) {
      const partition = touched.get(partitionId) ?? begin(partitionId);
      touched.set(partitionId, partition);
      const offset = partition.nextOffset++;
      partition.insert.run(offset, timeUnixMs, key, headers, value);
      offsets[row++] = offset;
    }
    for (const [id, { nextOffset }] of touched) writeNext.run(nextOffset, id);
    return offsets;
  };
};
