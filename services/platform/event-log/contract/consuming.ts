import { expect, test } from 'vitest';
import {
  type Batch,
  type Commit,
  type Consumer,
  type EventLog,
  GroupHeldError,
  LogClosedError,
  RecordTooLargeError,
  UnknownTopicError,
} from '../event-log.ts';
import { createHarness, type EventLogEngine, expectInOrder, record } from './engine.ts';

const POLL = { maxBytes: 1_000_000, waitMs: 10_000 };
const NO_WAIT = { maxBytes: 1_000_000, waitMs: 0 };

const textsOf = (batch: Batch | null): string[] => batch?.records.map((r) => r.value.toString()) ?? [];

const commitOf = (offset: number, over: Partial<Commit> = {}): Commit => ({
  topic: 'one',
  partition: 0,
  offset,
  metadata: '',
  ...over,
});

/** Polls until nothing more comes at once. */
const drain = async (consumer: Consumer, maxBytes = 1_000_000): Promise<Batch[]> => {
  const batches: Batch[] = [];
  for (;;) {
    const batch = await consumer.poll({ maxBytes, waitMs: 300 });
    if (batch === null) return batches;
    batches.push(batch);
  }
};

export const testConsuming = (engine: EventLogEngine): void => {
  const { open } = createHarness(engine);
  const join = (log: EventLog, over: { group?: string; topics?: string[]; waitMs?: number } = {}) =>
    log.consume({ group: 'group', topics: ['one'], ...over });

  test('a group without commits reads from the beginning, each record once', async () => {
    const log = await open();
    await log.append([record('a'), record('b')]);
    const consumer = await join(log);
    expect(consumer.resumedFrom).toEqual([]);
    expect(textsOf(await consumer.poll(POLL))).toEqual(['a', 'b']);
    expect(await consumer.poll(NO_WAIT)).toBeNull();
    await log.append([record('c')]);
    expect(textsOf(await consumer.poll(POLL))).toEqual(['c']);
  });

  test('a waiting poll gets what this process appends', async () => {
    const log = await open();
    const consumer = await join(log);
    const polled = consumer.poll(POLL);
    await log.append([record('fresh')]);
    expect(textsOf(await polled)).toEqual(['fresh']);
  });

  test('a waiting poll gets what another process appends', async () => {
    const consumer = await join(await open());
    const other = await open();
    const polled = consumer.poll(POLL);
    await other.append([record('fresh')]);
    expect(textsOf(await polled)).toEqual(['fresh']);
  });

  test('a batch holds records of one partition, in order, and ends when its bytes are reached', async () => {
    const log = await open();
    const values = Array.from({ length: 30 }, (_, i) => Buffer.alloc(10_000, i));
    await log.append(values.map((value, i) => record('', { topic: 'three', partition: i % 3, value })));
    const batches = await drain(await join(log, { topics: ['three'] }), 25_000);
    const read = [0, 1, 2].map((partition) => batches.filter((b) => b.partition === partition));
    for (const ofPartition of read) {
      expect(ofPartition.flatMap((b) => b.records.map((r) => r.offset))).toEqual(
        values.slice(20).map((_, i) => i),
      );
      expect(ofPartition.length).toBeGreaterThan(2);
    }
    for (const ofPartition of read) {
      const ends = ofPartition.map((b) => (b.records.at(-1)?.offset ?? -1) + 1);
      expect(ofPartition.map((b) => b.from)).toEqual([0, ...ends.slice(0, -1)]);
    }
    for (const { records, topic, partition } of batches) {
      for (const r of records) expect(r).toMatchObject({ topic, partition });
      expect(records.slice(0, -1).reduce((sum, r) => sum + r.value.length, 0)).toBeLessThan(25_000);
    }
  });

  test('a partition with a long backlog does not keep the others waiting', async () => {
    const log = await open();
    await log.append(Array.from({ length: 200 }, (_, i) => record(`${i}`, { topic: 'three', partition: 0 })));
    await log.append([1, 2].map((partition) => record('few', { topic: 'three', partition })));
    const consumer = await join(log, { topics: ['three', 'one'] });
    await log.append([record('other topic')]);
    const batches = [];
    for (let i = 0; i < 4; i++) batches.push(await consumer.poll({ maxBytes: 1, waitMs: 10_000 }));
    const turns = batches.map((b) => `${b?.topic}/${b?.partition}`);
    expect(turns.toSorted()).toEqual(['one/0', 'three/0', 'three/1', 'three/2']);
  });

  test('a seek decides where the next poll of its partition begins, and of no other', async () => {
    const log = await open();
    await log.append(['a', 'b', 'c'].map((text) => record(text)));
    await log.append([record('x', { topic: 'three', partition: 2 })]);
    const consumer = await join(log, { topics: ['one', 'three'] });
    await drain(consumer);
    consumer.seek({ topic: 'one', partition: 0, offset: 1 });
    const batches = await drain(consumer);
    expect(batches.map(textsOf)).toEqual([['b', 'c']]);
  });

  test('only partitions of its topics can be sought or committed', async () => {
    const consumer = await join(await open());
    const position = { topic: 'three', partition: 0, offset: 0 };
    expect(() => consumer.seek(position)).toThrow(expect.objectContaining({ code: 'not_owned' }));
    await expect(consumer.commit(commitOf(0, { topic: 'three' }))).rejects.toMatchObject({
      code: 'not_owned',
    });
    await expect(consumer.commit(commitOf(0, { partition: 1 }))).rejects.toMatchObject({ code: 'not_owned' });
  });

  test('commits and their metadata come back to whoever joins later, and to whoever only asks', async () => {
    const log = await open();
    await log.append(['a', 'b', 'c'].map((text) => record(text)));
    const first = await join(log, { topics: ['one', 'three'] });
    const commits = [
      commitOf(2, { metadata: '{"from":2,"to":17,"text":"µ → 𝔘 \u0000"}' }),
      commitOf(1, { topic: 'three', partition: 1 }),
      commitOf(0, { topic: 'three', partition: 2, metadata: 'm'.repeat(3_000) }),
    ];
    await first.commit(commitOf(1, { metadata: 'overwritten' }));
    for (const commit of commits) await first.commit(commit);
    expect(await log.commits('group')).toEqual(commits);
    await first.close();
    const again = await open();
    const second = await join(again, { topics: ['one', 'three'] });
    expect(second.resumedFrom).toEqual(commits);
    expect(textsOf(await second.poll(POLL))).toEqual(['c']);
  });

  test('a consumer resumes only from commits of its own topics', async () => {
    const log = await open();
    const first = await join(log, { topics: ['one', 'three'] });
    await first.commit(commitOf(4, { topic: 'three', partition: 2 }));
    await first.commit(commitOf(3));
    await first.close();
    expect((await join(log, { topics: ['one'] })).resumedFrom).toEqual([commitOf(3)]);
  });

  test('what was read but not committed is read again', async () => {
    const log = await open();
    await log.append(['a', 'b'].map((text) => record(text)));
    const first = await join(log);
    await first.poll(POLL);
    await first.commit(commitOf(1));
    await first.close();
    expect(textsOf(await (await join(log)).poll(POLL))).toEqual(['b']);
  });

  test('records and commits of one transaction are there together, and whoever waits for the records gets them', async () => {
    const log = await open();
    await log.append([record('a'), record('b')]);
    const reader = await join(log, { group: 'reader', topics: ['three'] });
    const polled = reader.poll(POLL);
    const writer = await join(log);
    await writer.poll(POLL);
    const records = [
      record('x', { topic: 'three', partition: 2 }),
      record('y', { topic: 'three', partition: 2 }),
    ];
    const commits = [commitOf(2, { metadata: 'answered' })];
    const positions = await writer.transact({ records, commits });
    positions.push(...(await writer.transact({ records: records.slice(0, 1), commits: [] })));
    expect(positions).toMatchObject([1, 2, 3].map(() => ({ topic: 'three', partition: 2 })));
    expectInOrder(
      positions.map((p) => p.offset),
      engine,
    );
    expect(await log.commits('group')).toEqual(commits);
    expect(textsOf(await polled).slice(0, 2)).toEqual(['x', 'y']);
  });

  test('a transaction that cannot be written as a whole is not written at all', async () => {
    const log = await open();
    const consumer = await join(log);
    const commits = [commitOf(1)];
    const bad = [record('good'), record('bad', { value: Buffer.alloc(1_000_001) })];
    await expect(consumer.transact({ records: bad, commits })).rejects.toThrow(RecordTooLargeError);
    const elsewhere = [...commits, commitOf(0, { topic: 'three' })];
    await expect(consumer.transact({ records: [record('good')], commits: elsewhere })).rejects.toMatchObject({
      code: 'not_owned',
    });
    expect(await log.commits('group')).toEqual([]);
    expect((await log.ranges('one'))[0]?.end).toBe(0);
    await consumer.close();
    await expect(consumer.transact({ records: [record('late')], commits: [] })).rejects.toThrow(
      LogClosedError,
    );
  });

  test('groups do not know of each other', async () => {
    const log = await open();
    await log.append([record('a')]);
    const [left, right] = [await join(log, { group: 'left' }), await join(log, { group: 'right' })];
    expect(textsOf(await left.poll(POLL))).toEqual(['a']);
    await left.commit(commitOf(1));
    expect(textsOf(await right.poll(POLL))).toEqual(['a']);
    expect(await log.commits('right')).toEqual([]);
    expect(await log.commits('never heard of')).toEqual([]);
  });

  test('a second member waits, and takes over from where the first one committed when that leaves', async () => {
    const log = await open();
    const other = await open();
    await log.append(['a', 'b', 'c'].map((text) => record(text)));
    const first = await join(log);
    await first.poll(POLL);
    const second = join(other);
    await first.commit(commitOf(1, { metadata: 'one done' }));
    await first.close();
    expect((await second).resumedFrom).toEqual([commitOf(1, { metadata: 'one done' })]);
    expect(textsOf(await (await second).poll(POLL))).toEqual(['b', 'c']);
  });

  test('a member that lives is not pushed out: the second one gives up after its waiting time', async () => {
    const log = await open();
    const first = await join(log);
    await expect(join(log, { waitMs: 300 })).rejects.toThrow(GroupHeldError);
    await expect(join(await open(), { waitMs: 300 })).rejects.toThrow(GroupHeldError);
    await first.commit(commitOf(0));
  });

  test('waiting for a group can be aborted', async () => {
    const log = await open();
    await join(log);
    const signal = AbortSignal.abort(new Error('stopping'));
    await expect(log.consume({ group: 'group', topics: ['one'], signal })).rejects.toThrow('stopping');
    const late = new AbortController();
    const waiting = log.consume({ group: 'group', topics: ['one'], signal: late.signal });
    late.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
  });

  test('a group that is held cannot be forgotten; one that was forgotten reads from the beginning', async () => {
    const log = await open();
    await log.append([record('a')]);
    const consumer = await join(log);
    await consumer.commit(commitOf(1));
    await expect(log.forgetGroup('group')).rejects.toThrow(GroupHeldError);
    expect(await log.commits('group')).toEqual([commitOf(1)]);
    await consumer.close();
    await log.forgetGroup('group');
    expect(await log.commits('group')).toEqual([]);
    expect(textsOf(await (await join(log)).poll(POLL))).toEqual(['a']);
  });

  test('a group nobody has heard of can be forgotten', async () => {
    await expect((await open()).forgetGroup('nobody')).resolves.toBeUndefined();
  });

  test('a closed consumer refuses to poll and to commit, wakes its waiting poll, and may be closed twice', async () => {
    const consumer = await join(await open());
    const waiting = consumer.poll(POLL);
    const refused = expect(waiting).rejects.toThrow(LogClosedError);
    await consumer.close();
    await refused;
    await consumer.close();
    await expect(consumer.poll(NO_WAIT)).rejects.toThrow('the consumer is closed');
    await expect(consumer.commit(commitOf(0))).rejects.toThrow(LogClosedError);
  });

  test('closing the log gives its groups back', async () => {
    const log = await open();
    await join(log);
    await log.close();
    await expect(join(await open(), { waitMs: 5_000 })).resolves.toBeDefined();
  });

  test('only one poll at a time', async () => {
    const consumer = await join(await open());
    const waiting = consumer.poll({ maxBytes: 1, waitMs: 200 });
    await expect(consumer.poll(NO_WAIT)).rejects.toMatchObject({ code: 'poll_overlap' });
    expect(await waiting).toBeNull();
  });

  test('consuming an unknown topic is refused and does not take the group', async () => {
    const log = await open();
    await expect(join(log, { topics: ['one', 'none'] })).rejects.toThrow(UnknownTopicError);
    await expect(join(log, { waitMs: 0 })).resolves.toBeDefined();
  });
};
