import { expect, test } from 'vitest';
import type { AppendRecord } from '../event-log.ts';
import { createTemporaryLogs } from './temporary-log.ts';

const KEPT_MS = 60_000;
let nowUnixMs = 1_000_000;

const { open } = createTemporaryLogs({
  topics: [
    { name: 'brief', partitions: 2, retentionMs: KEPT_MS },
    { name: 'kept', partitions: 1, retentionMs: -1 },
  ],
  maxQueuedBytes: 50_000_000,
  maxRecordBytes: 2_000_000,
  clock: { nowUnixMs: () => nowUnixMs },
});

const record = (text: string, over: Partial<AppendRecord> = {}): AppendRecord => ({
  topic: 'brief',
  key: 'k',
  partition: 0,
  value: Buffer.from(text),
  ...over,
});
const ALL = { topic: 'brief', partition: 0, offset: 0, maxBytes: 1e9 };

test('records older than their topic keeps are deleted, newer ones and other topics stay', async () => {
  const log = await open();
  await log.append([record('old'), record('old', { partition: 1 }), record('old', { topic: 'kept' })]);
  nowUnixMs += KEPT_MS;
  await log.append([record('young')]);
  expect(await log.enforceRetention()).toBe(0);
  nowUnixMs += 1;
  expect(await log.enforceRetention()).toBe(2);
  expect(await log.ranges('brief')).toEqual([
    { topic: 'brief', partition: 0, begin: 1, end: 2 },
    { topic: 'brief', partition: 1, begin: 1, end: 1 },
  ]);
  expect(await log.ranges('kept')).toEqual([{ topic: 'kept', partition: 0, begin: 0, end: 1 }]);
});

test('reading below the beginning begins at the beginning, for readers and for consumers', async () => {
  const log = await open();
  await log.append([record('a'), record('b')]);
  const consumer = await log.consume({ group: 'g', topics: ['brief'] });
  await consumer.poll({ maxBytes: 1, waitMs: 0 });
  nowUnixMs += KEPT_MS + 1;
  await log.append([record('c')]);
  await log.enforceRetention();
  expect((await log.read(ALL)).map((r) => r.offset)).toEqual([2]);
  expect((await consumer.poll({ maxBytes: 1_000, waitMs: 0 }))?.records.map((r) => r.offset)).toEqual([2]);
  expect(await consumer.poll({ maxBytes: 1_000, waitMs: 0 })).toBeNull();
  consumer.seek({ topic: 'brief', partition: 0, offset: 0 });
  expect((await consumer.poll({ maxBytes: 1_000, waitMs: 0 }))?.records.map((r) => r.offset)).toEqual([2]);
});

test('a consumer with nothing but deleted records before it waits instead of reading them', async () => {
  const log = await open();
  await log.append([record('a')]);
  nowUnixMs += KEPT_MS + 1;
  await log.enforceRetention();
  const consumer = await log.consume({ group: 'g', topics: ['brief'] });
  expect(await consumer.poll({ maxBytes: 1_000, waitMs: 50 })).toBeNull();
});

test('offsets go on counting after everything was deleted, also when the log was closed in between', async () => {
  const log = await open();
  await log.append([record('a'), record('b'), record('c')]);
  nowUnixMs += KEPT_MS + 1;
  expect(await log.enforceRetention()).toBe(3);
  await log.close();
  const again = await open();
  expect((await again.append([record('d')]))[0]?.offset).toBe(3);
});

test('many and large records are deleted in steps, appends go on between them, and the disk gets its space back', async () => {
  const log = await open();
  for (let i = 0; i < 6; i++) await log.append(Array.from({ length: 4_000 }, () => record('small')));
  for (let i = 0; i < 40; i++)
    await log.append([record('', { partition: 1, value: Buffer.alloc(1_000_000) })]);
  nowUnixMs += KEPT_MS + 1;
  const enforcing = log.enforceRetention();
  const [during] = await log.append([record('during')]);
  expect(during?.offset).toBe(24_000);
  expect(await enforcing).toBe(24_040);
  expect((await log.read(ALL)).map((r) => r.value.toString())).toEqual(['during']);
  await log.close();
  expect((await open()).stats().fileBytes).toBeLessThan(10_000_000);
});
