import { expect, test } from 'vitest';
import { LogClosedError } from '../event-log.ts';
import { commitOf, drain, joinGroup, NO_WAIT, POLL, textsOf } from './consume.ts';
import { createHarness, type EventLogEngine, record } from './engine.ts';

export const testConsuming = (engine: EventLogEngine): void => {
  const { open } = createHarness(engine);

  test('a group without commits reads from the beginning, each record once', async () => {
    const log = await open();
    await log.append([record('a'), record('b')]);
    const consumer = await joinGroup(log);
    expect(consumer.resumedFrom).toEqual([]);
    expect(textsOf(await consumer.poll(POLL))).toEqual(['a', 'b']);
    expect(await consumer.poll(NO_WAIT)).toBeNull();
    await log.append([record('c')]);
    expect(textsOf(await consumer.poll(POLL))).toEqual(['c']);
  });

  test('a waiting poll gets what this process appends', async () => {
    const log = await open();
    const consumer = await joinGroup(log);
    const polled = consumer.poll(POLL);
    await log.append([record('fresh')]);
    expect(textsOf(await polled)).toEqual(['fresh']);
  });

  test('a waiting poll gets what another process appends', async () => {
    const consumer = await joinGroup(await open());
    const other = await open();
    const polled = consumer.poll(POLL);
    await other.append([record('fresh')]);
    expect(textsOf(await polled)).toEqual(['fresh']);
  });

  test('a batch holds records of one partition, in order, and ends when its bytes are reached', async () => {
    const log = await open();
    const values = Array.from({ length: 30 }, (_, i) => Buffer.alloc(10_000, i));
    await log.append(values.map((value, i) => record('', { topic: 'three', partition: i % 3, value })));
    const batches = await drain(await joinGroup(log, { topics: ['three'] }), 25_000);
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
    const consumer = await joinGroup(log, { topics: ['three', 'one'] });
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
    const consumer = await joinGroup(log, { topics: ['one', 'three'] });
    await drain(consumer);
    consumer.seek({ topic: 'one', partition: 0, offset: 1 });
    const batches = await drain(consumer);
    expect(batches.map(textsOf)).toEqual([['b', 'c']]);
  });

  test('a closed consumer refuses to poll and to commit, wakes its waiting poll, and may be closed twice', async () => {
    const consumer = await joinGroup(await open());
    const waiting = consumer.poll(POLL);
    const refused = expect(waiting).rejects.toThrow(LogClosedError);
    await consumer.close();
    await refused;
    await consumer.close();
    await expect(consumer.poll(NO_WAIT)).rejects.toThrow('the consumer is closed');
    await expect(consumer.commit(commitOf(0))).rejects.toThrow(LogClosedError);
  });

  test('only one poll at a time', async () => {
    const consumer = await joinGroup(await open());
    const waiting = consumer.poll({ maxBytes: 1, waitMs: 200 });
    await expect(consumer.poll(NO_WAIT)).rejects.toMatchObject({ code: 'poll_overlap' });
    expect(await waiting).toBeNull();
  });
};
