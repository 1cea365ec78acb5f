import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { connectToLog, openLogFile } from './log-file.ts';
import { createTemporaryLogs } from './temporary-log.ts';

const { folder, open } = createTemporaryLogs({
  topics: [{ name: 'one', partitions: 1, retentionMs: -1 }],
  maxQueuedBytes: 1_000_000,
  maxRecordBytes: 1_000_000,
});
const record = (text: string) => ({ topic: 'one', key: 'k', value: Buffer.from(text) });

test('every commit is on the disk before it counts: write-ahead log, synchronous full, on the writing connection', async () => {
  (await openLogFile(await folder())).close();
  const db = connectToLog(join(await folder(), 'log.sqlite'), 100);
  expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  db.close();
});

test('a folder that does not exist is created', async () => {
  const log = await open({ folder: join(await folder(), 'a', 'b') });
  expect((await log.append([record('x')]))[0]?.offset).toBe(0);
});

test('a folder that cannot be one is named', async () => {
  const file = join(await folder(), 'file');
  writeFileSync(file, '');
  await expect(open({ folder: join(file, 'log') })).rejects.toMatchObject({
    code: 'log_cannot_open',
    message: expect.stringContaining(join(file, 'log')),
  });
});

test('a file that is no database is refused and left as it is', async () => {
  const file = join(await folder(), 'log.sqlite');
  const text = 'something else entirely\n'.repeat(500);
  writeFileSync(file, text);
  await expect(open()).rejects.toMatchObject({ code: 'log_foreign' });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('a database of another program is refused and left as it is', async () => {
  const file = join(await folder(), 'log.sqlite');
  const foreign = new DatabaseSync(file);
  foreign.exec('CREATE TABLE theirs (a)');
  foreign.close();
  const before = readFileSync(file);
  await expect(open()).rejects.toMatchObject({ code: 'log_foreign' });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a log of a later program is refused', async () => {
  const log = await open();
  await log.close();
  const db = new DatabaseSync(join(await folder(), 'log.sqlite'));
  db.exec('PRAGMA user_version = 99');
  db.close();
  await expect(open()).rejects.toMatchObject({ code: 'log_version' });
});

test('a damaged file says so instead of giving wrong records', async () => {
  const log = await open();
  await log.append(Array.from({ length: 2_000 }, (_, i) => record(`${i}`.padEnd(200))));
  await log.close();
  const file = join(await folder(), 'log.sqlite');
  const bytes = readFileSync(file);
  bytes.fill(0xee, 8192 * 8);
  writeFileSync(file, bytes);
  const damaged = await open();
  await expect(damaged.read({ topic: 'one', partition: 0, offset: 0, maxBytes: 1e9 })).rejects.toMatchObject({
    code: 'log_corrupt',
  });
});

test('a file that was cut short says so', async () => {
  const log = await open();
  await log.append(Array.from({ length: 2_000 }, (_, i) => record(`${i}`.padEnd(200))));
  await log.close();
  const file = join(await folder(), 'log.sqlite');
  truncateSync(file, Math.floor(statSync(file).size / 2 / 8192) * 8192);
  const cut = async () => (await open()).read({ topic: 'one', partition: 0, offset: 0, maxBytes: 1e9 });
  await expect(cut()).rejects.toMatchObject({ code: 'log_corrupt' });
});

test('while another program holds the write lock for too long, appends fail by name, reading goes on, and later appends work', async () => {
  const log = await open({ lockTimeoutMs: 100 });
  await log.append([record('before')]);
  const other = new DatabaseSync(join(await folder(), 'log.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  await expect(log.append([record('refused')])).rejects.toMatchObject({ code: 'log_locked' });
  const reader = await open();
  expect(await reader.read({ topic: 'one', partition: 0, offset: 0, maxBytes: 100 })).toHaveLength(1);
  other.exec('ROLLBACK');
  other.close();
  expect((await log.append([record('after')]))[0]?.offset).toBe(1);
});

test('a topic that forgets may get more partitions, but never fewer', async () => {
  const topic = { name: 'brief', partitions: 2, retentionMs: 1_000_000 };
  const log = await open({ topics: [topic] });
  await log.append([{ topic: 'brief', key: 'k', partition: 1, value: Buffer.from('x') }]);
  const grown = await open({ topics: [{ ...topic, partitions: 4 }] });
  expect((await grown.ranges('brief')).map((r) => r.end)).toEqual([0, 1, 0, 0]);
  await expect(open({ topics: [{ ...topic, partitions: 3 }] })).rejects.toMatchObject({
    code: 'partitions_changed',
  });
});

test('the counters of the file tell what lies where', async () => {
  const log = await open();
  await log.append([record('x'.repeat(500_000))]);
  const { queuedBytes, walBytes, fileBytes } = log.stats();
  expect(queuedBytes).toBe(0);
  expect(walBytes + fileBytes).toBeGreaterThan(500_000);
});
