import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileBytes } from './bound-wal.ts';
import { inTransaction } from './in-transaction.ts';
import { isBusy, LogFileError, toLogFileError } from './log-file-error.ts';

const APPLICATION_ID = 0x53706f6f; // "Spoo"
const FORMAT = 1;
const PAGE_BYTES = 8192;
const OPEN_ATTEMPTS = 20;
const OPEN_RETRY_MS = 100;
/** Waiting for a lock blocks the thread. The writing thread may wait long; this thread serves requests. */
const READER_LOCK_TIMEOUT_MS = 500;
/** Size of the write-ahead log's file after a checkpoint truncated it. */
const WAL_KEPT_BYTES = 16 * 1024 * 1024;

const SCHEMA = `
  CREATE TABLE partitions (
    id INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL,
    begin_offset INTEGER NOT NULL, next_offset INTEGER NOT NULL, UNIQUE (topic, partition)
  );
  CREATE TABLE group_leases (
    group_name TEXT PRIMARY KEY, epoch INTEGER NOT NULL, member TEXT, machine TEXT, pid INTEGER, started_at TEXT,
    expires_unix_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE commits (
    group_name TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL, next_offset INTEGER NOT NULL,
    metadata TEXT NOT NULL, PRIMARY KEY (group_name, topic, partition)
  ) WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`;

export const logFilePath = (folder: string): string => join(folder, 'log.sqlite');

const pragma = (db: DatabaseSync, name: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);

/**
 * Settings that must precede everything else in a new file. On an existing file they would wait for its
 * writers.
 */
const layOut = (db: DatabaseSync): void => {
  if (pragma(db, 'page_count') > 0) return;
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL`);
};

/**
 * Opens a connection with the settings that all connections to the log need: a commit is on the disk when it
 * returns.
 */
export const connectToLog = (file: string, timeoutMs: number): DatabaseSync => {
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    layOut(db);
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = ON;
      PRAGMA checkpoint_fullfsync = ON;
      PRAGMA journal_size_limit = ${WAL_KEPT_BYTES};
    `);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** Refuses a file of another program before anything is written to it. */
const refuseForeign = (file: string): void => {
  const db = new DatabaseSync(file, { timeout: READER_LOCK_TIMEOUT_MS });
  try {
    const isNew = pragma(db, 'schema_version') === 0;
    if (!isNew && pragma(db, 'application_id') !== APPLICATION_ID) {
      throw new LogFileError(
        'log_foreign',
        `${file} is a database of another program; choose another folder`,
      );
    }
    const format = pragma(db, 'user_version');
    if (format > FORMAT) {
      throw new LogFileError(
        'log_version',
        `${file} has format ${format}; this program knows ${FORMAT}: use a newer one`,
      );
    }
  } finally {
    db.close();
  }
};

const createOrOpen = (file: string): DatabaseSync => {
  refuseForeign(file);
  const db = connectToLog(file, READER_LOCK_TIMEOUT_MS);
  try {
    if (pragma(db, 'user_version') === 0) {
      inTransaction(db, () => {
        // Another process may have created it meanwhile.
        if (pragma(db, 'user_version') === 0) db.exec(SCHEMA);
      });
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** Creating a new log here would look as if there had never been accounts, credits or blocks. */
const refuseLost = (file: string): void => {
  if (fileBytes(file) > 0) return;
  throw new LogFileError(
    'log_missing',
    `event log ${file} is missing or empty, but was written before; restore a copy and run "spoor rebuild", or move the whole store away to begin anew`,
  );
};

/**
 * Opens `<folder>/log.sqlite` and creates both if missing, unless the log was written before. Throws
 * `LogFileError`, which says what to do.
 */
export const openLogFile = async (folder: string, wasWritten = false): Promise<DatabaseSync> => {
  const file = logFilePath(folder);
  if (wasWritten) refuseLost(file);
  for (let attempt = 1; ; attempt++) {
    try {
      mkdirSync(folder, { recursive: true });
      return createOrOpen(file);
    } catch (error) {
      // Switching a new file to WAL does not wait for another process that does the same.
      if (!isBusy(error) || attempt === OPEN_ATTEMPTS) throw openingError(error, file);
      await sleep(OPEN_RETRY_MS);
    }
  }
};

const openingError = (error: unknown, file: string): Error => {
  const isFileSystem = error instanceof Error && 'syscall' in error;
  if (!isFileSystem) return toLogFileError(error, file);
  return new LogFileError(
    'log_cannot_open',
    `event log ${file}: its folder cannot be created or written; check the path and its rights (${error.message})`,
    { cause: error },
  );
};
