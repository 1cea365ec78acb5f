import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { FencedError, GroupHeldError } from '../event-log.ts';
import { logFilePath } from './log-file.ts';
import { createTemporaryLogs } from './temporary-log.ts';

// Far above what a busy disk takes for one write.
const LEASE_MS = 2_500;
const { folder, open } = createTemporaryLogs({
  topics: [{ name: 'one', partitions: 1, retentionMs: -1 }],
  maxQueuedBytes: 1_000_000,
  maxRecordBytes: 1_000_000,
  leaseMs: LEASE_MS,
});
const GROUP = { group: 'group', topics: ['one'], waitMs: 0 };
const commit = { topic: 'one', partition: 0, offset: 0, metadata: '' };
/** A process whose clock says that every lease given so far has run out. */
const later = { nowUnixMs: () => Date.now() + LEASE_MS + 60_000 };

test('a lease is kept for longer than its time while its holder lives', async () => {
  const log = await open();
  const consumer = await log.consume(GROUP);
  await expect(log.consume({ ...GROUP, waitMs: LEASE_MS * 3 })).rejects.toThrow(GroupHeldError);
  await consumer.commit(commit);
});

test('a holder that was pushed out can neither commit nor poll', async () => {
  const slow = await (await open()).consume(GROUP);
  const successor = await (await open({ clock: later })).consume(GROUP);
  await expect(slow.commit({ ...commit, metadata: 'late' })).rejects.toThrow(FencedError);
  await expect(slow.poll({ maxBytes: 1, waitMs: 0 })).rejects.toThrow(FencedError);
  await successor.commit(commit);
});

test('a holder that was pushed out learns it while its poll waits', async () => {
  const slow = await (await open()).consume(GROUP);
  const waiting = expect(slow.poll({ maxBytes: 1, waitMs: 60_000 })).rejects.toThrow(FencedError);
  await (await open({ clock: later })).consume(GROUP);
  await waiting;
});

test('a holder that was pushed out does not give away its successor’s lease when it closes', async () => {
  const slow = await (await open()).consume(GROUP);
  // Of a lease that outlasts whatever else the machine does meanwhile.
  const log = await open({ clock: later, leaseMs: 60_000 });
  const successor = await log.consume(GROUP);
  await slow.close();
  await expect(log.consume(GROUP)).rejects.toThrow(GroupHeldError);
  await successor.commit(commit);
});

test('a group that cannot be given back, on a full disk say, is closed all the same and runs out by itself', async () => {
  const errors: string[] = [];
  const log = await open({ lockTimeoutMs: 10, onError: ({ code }) => errors.push(code) });
  const consumer = await log.consume(GROUP);
  const other = new DatabaseSync(logFilePath(await folder()));
  other.exec('BEGIN IMMEDIATE');
  await consumer.close();
  expect(errors).toContain('log_locked');
  await log.close();
  other.exec('ROLLBACK');
  other.close();
  await (await open()).consume({ ...GROUP, waitMs: LEASE_MS * 10 });
});

test('groups that processes had for themselves leave nothing behind in the file', async () => {
  const log = await open();
  for (const group of ['once', 'twice']) await (await log.consume({ ...GROUP, group })).close();
  const held = await log.consume(GROUP);
  const file = new DatabaseSync(logFilePath(await folder()), { readOnly: true });
  const groups = file.prepare('SELECT group_name FROM group_leases').all();
  file.close();
  expect(groups).toEqual([{ group_name: 'group' }]);
  await held.close();
});
