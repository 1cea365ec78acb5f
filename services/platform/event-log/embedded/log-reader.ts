import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Commit, Position, StoredRecord } from '../event-log.ts';
import { toLogFileError } from './log-file-error.ts';
import { packedBytes } from './packed-records.ts';
import { type PartitionName, recordsTable } from './register-topics.ts';

type Extent = { readonly begin: number; readonly end: number };

export type ReadFrom = PartitionName & {
  readonly partitionId: number;
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
  readonly maxBytes: number;
};

/**
 * Reads the file. Every method finishes its statement before it returns, because an open statement prevents
 * truncating the write-ahead log. Methods throw `LogFileError`.
 */
export type LogReader = {
  read(request: ReadFrom): StoredRecord[];
  /** The begin and end of each partition, by its id. Cheap to call again while nothing was written. */
  extents(): ReadonlyMap<number, Extent>;
  /** Whether anything was written since it was last asked. True if the file cannot tell: then reading fails, too. */
  hasChanged(): boolean;
  commits(group: string): Commit[];
};

const text = (value: SQLOutputValue | undefined): string => (typeof value === 'string' ? value : '');

/** A row of a table of records. */
type Row = readonly [
  offset: number,
  timeUnixMs: number,
  key: string,
  headers: string | null,
  value: Uint8Array,
];

const toRecord = (
  { topic, partition }: PartitionName,
  [offset, timeUnixMs, key, headers, value]: Row,
): StoredRecord => ({
  topic,
  partition,
  offset,
  key,
  value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  headers: headers === null ? {} : (JSON.parse(headers) as Record<string, string>),
  timeUnixMs,
});

const toCommit = (row: Record<string, SQLOutputValue>): Commit => ({
  topic: text(row.topic),
  partition: Number(row.partition),
  offset: Number(row.next_offset),
  metadata: text(row.metadata),
});

const sizeOf = ([, timeUnixMs, key, headers, value]: Row): number =>
  packedBytes({ partitionId: 0, timeUnixMs, key, value, headers });

export const createLogReader = (db: DatabaseSync, file: string): LogReader => {
  const ranges = new Map<number, StatementSync>();
  const dataVersion = db.prepare('PRAGMA data_version');
  const readExtents = db.prepare('SELECT id, begin_offset, next_offset FROM partitions');
  const readCommits = db.prepare('SELECT * FROM commits WHERE group_name = ? ORDER BY topic, partition');
  let extentsVersion: SQLOutputValue | undefined;
  let extents: ReadonlyMap<number, Extent> = new Map();
  let seenVersion: SQLOutputValue | undefined;

  const rangeOf = (id: number): StatementSync => {
    const known = ranges.get(id);
    if (known !== undefined) return known;
    const statement = db.prepare(
      `SELECT offset, time_unix_ms, key, headers, value FROM ${recordsTable(id)} WHERE offset >= ? AND offset < ? ORDER BY offset`,
    );
    // Arrays instead of objects: an object with five names for each record takes as long as reading it.
    statement.setReturnArrays(true);
    ranges.set(id, statement);
    return statement;
  };

  const typed =
    <A extends unknown[], T>(query: (...args: A) => T) =>
    (...args: A): T => {
      try {
        return query(...args);
      } catch (error) {
        throw toLogFileError(error, file);
      }
    };

  return {
    read: typed(({ partitionId, from, until, maxBytes, topic, partition }: ReadFrom) => {
      const records: StoredRecord[] = [];
      let bytes = 0;
      const rows = rangeOf(partitionId).iterate(from, until) as Iterable<unknown> as Iterable<Row>;
      for (const row of rows) {
        records.push(toRecord({ topic, partition }, row));
        bytes += sizeOf(row);
        if (bytes >= maxBytes) break;
      }
      return records;
    }),
    extents: typed(() => {
      // Read before the extents, so that a write in between causes only one extra read.
      const version = dataVersion.get()?.data_version;
      if (version !== extentsVersion) {
        const rows = readExtents.all();
        extents = new Map(
          rows.map((row) => [
            Number(row.id),
            { begin: Number(row.begin_offset), end: Number(row.next_offset) },
          ]),
        );
        extentsVersion = version;
      }
      return extents;
    }),
    hasChanged: () => {
      try {
        const version = dataVersion.get()?.data_version;
        if (version === seenVersion) return false;
        seenVersion = version;
      } catch {}
      return true;
    },
    commits: typed((group: string) => readCommits.all(group).map(toCommit)),
  };
};

/** The part of a position that decides whether there is something to read. */
export const isBehind = (position: Pick<Position, 'offset'>, extent: Extent | undefined): boolean =>
  extent !== undefined && Math.max(position.offset, extent.begin) < extent.end;
