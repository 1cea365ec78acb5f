import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBoundWal, fileBytes } from './bound-wal.ts';
import { connectToLog, logFilePath, openLogFile } from './log-file.ts';

const WAL_BYTES_MAX = 1_000_000;

test('the write-ahead log is emptied past its limit as soon as no reader stands in it, and waits for none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-log-'));
  const reader = await openLogFile(folder);
  const file = logFilePath(folder);
  const writer = connectToLog(file, 1_000);
  writer.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (v)');
  const boundWal = createBoundWal(writer, file, WAL_BYTES_MAX);
  const write = (): void => {
    writer.prepare('INSERT INTO t VALUES (zeroblob(600000))').run();
    boundWal();
  };
  const walBytes = (): number => fileBytes(`${file}-wal`);

  write();
  expect(walBytes()).toBeGreaterThan(600_000);
  write();
  expect(walBytes()).toBe(0);

  write();
  reader.exec('BEGIN; SELECT count(*) FROM t');
  write();
  write();
  expect(walBytes()).toBeGreaterThan(1_800_000);
  reader.exec('COMMIT');
  write();
  expect(walBytes()).toBe(0);

  reader.close();
  writer.close();
  rmSync(folder, { recursive: true });
});
