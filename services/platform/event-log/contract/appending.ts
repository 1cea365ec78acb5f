import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type EventLog,
  LogClosedError,
  PartitionsChangedError,
  type Position,
  RecordTooLargeError,
  UnknownPartitionError,
  UnknownTopicError,
} from '../event-log.ts';
import { partitionForKey } from '../partition-for-key.ts';
import {
  allTextsIn,
  createHarness,
  type EventLogEngine,
  expectInOrder,
  record,
  TOPICS,
  textsIn,
} from './engine.ts';

const anyRecord = fc.record({
  topic: fc.constantFrom('one', 'three'),
  key: fc.string({ unit: 'binary' }),
  value: fc.uint8Array({ maxLength: 3000 }),
  headers: fc.dictionary(
    fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
    fc.string({ unit: 'binary' }),
    { noNullPrototype: true },
  ),
});

export const testAppending = (engine: EventLogEngine): void => {
  const { open } = createHarness(engine);

  test('any records are read back as they were appended, where their positions say', async () => {
    const log = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { maxLength: 8 }), async (records) => {
        const positions = await log.append(records);
        expect(positions.length).toBe(records.length);
        for (const [i, position] of positions.entries()) {
          const [found] = await log.read({ ...position, maxBytes: 1 });
          expect({ ...found, value: new Uint8Array(found?.value ?? []) }).toEqual({
            ...records[i],
            ...position,
            timeUnixMs: found?.timeUnixMs,
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a record carries the time at which it was appended', async () => {
    const log = await open();
    const before = Date.now();
    const [position] = await log.append([record('now')]);
    const after = Date.now();
    const [found] = await log.read({
      topic: 'one',
      partition: 0,
      offset: position?.offset ?? -1,
      maxBytes: 1,
    });
    expect(found?.timeUnixMs).toBeGreaterThanOrEqual(before);
    expect(found?.timeUnixMs).toBeLessThanOrEqual(after);
  });

  test('offsets of a partition count from 0 without a gap, in the order of the records', async () => {
    const log = await open();
    const first = await log.append([record('a'), record('b')]);
    const second = await log.append([record('c')]);
    expect([...first, ...second].map((p) => p.offset)).toEqual([0, 1, 2]);
    expect(await textsIn(log)).toEqual(['a', 'b', 'c']);
  });

  test('a key goes to the partition that Kafka would choose, a named partition wins over it', async () => {
    const log = await open();
    const keys = ['21', 'foobar', 'solana:1', 'ethereum:2', ''];
    const positions = await log.append(keys.map((key) => record(key, { topic: 'three', key })));
    expect(positions.map((p) => p.partition)).toEqual(keys.map((key) => partitionForKey(key, 3)));
    const named = await log.append([0, 1, 2].map((partition) => record('x', { topic: 'three', partition })));
    expect(named.map((p) => p.partition)).toEqual([0, 1, 2]);
  });

  test('appending nothing is allowed and does nothing', async () => {
    const log = await open();
    expect(await log.append([])).toEqual([]);
    expect(await log.ranges('one')).toEqual([{ topic: 'one', partition: 0, begin: 0, end: 0 }]);
  });

  test.each([
    ['an unknown topic', record('bad', { topic: 'none' }), UnknownTopicError],
    ['an unknown partition', record('bad', { partition: 7 }), UnknownPartitionError],
    ['a negative partition', record('bad', { partition: -1 }), UnknownPartitionError],
    ['a value above the limit', record('bad', { value: Buffer.alloc(1_000_001) }), RecordTooLargeError],
  ])('one record with %s refuses the whole call', async (_, bad, error) => {
    const log = await open();
    await expect(log.append([record('good'), record('good', { topic: 'three' }), bad])).rejects.toThrow(
      error,
    );
    expect(await textsIn(log)).toEqual([]);
    expect(await allTextsIn(log, 'three')).toEqual([]);
    await log.append([record('after')]);
    expect(await textsIn(log)).toEqual(['after']);
  });

  test('many appends at once each get offsets of their own, keep their order, and stay whole', async () => {
    const log = await open();
    const calls = Array.from({ length: 500 }, (_, i) => [record(`${i}a`), record(`${i}b`)]);
    const positions = await Promise.all(calls.map((records) => log.append(records)));
    expect(positions.flat().map((p) => p.offset)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    expect(await textsIn(log)).toEqual(calls.flat().map((r) => Buffer.from(r.value).toString()));
  });

  test('appends wait for their turn when more bytes come than may be queued, and none is lost', async () => {
    const log = await open({ maxQueuedBytes: 300_000 });
    const value = (i: number) => Buffer.alloc(100_000, i);
    const calls = Array.from({ length: 60 }, (_, i) => log.append([record('', { value: value(i) })]));
    expect((await Promise.all(calls)).flat().map((p) => p.offset)).toEqual(calls.map((_, i) => i));
    const found = await log.read({ topic: 'one', partition: 0, offset: 0, maxBytes: 10_000_000 });
    expect(found.map((r) => r.value[99_999])).toEqual(calls.map((_, i) => i));
  });

  test('one append larger than the queue goes through', async () => {
    const log = await open({ maxQueuedBytes: 10_000 });
    const [small, large] = await Promise.all([
      log.append([record('small')]),
      log.append([record('', { value: Buffer.alloc(50_000) }), record('', { value: Buffer.alloc(50_000) })]),
    ]);
    expect([...small, ...large].map((p) => p.offset)).toEqual([0, 1, 2]);
  });

  test('several processes append at once without taking each other’s offsets', async () => {
    const logs = [await open(), await open()];
    const appendAll = async (log: EventLog, who: number): Promise<Position[]> => {
      const positions = [];
      // One after the other, so that each process is in a transaction nearly all the time.
      for (let i = 0; i < 300; i++) {
        const filling = [0, 1, 2].map((partition) => record('', { topic: 'three', partition }));
        positions.push(...(await log.append([record(`${who}:${i}`), ...filling])));
      }
      return positions;
    };
    const positions = (await Promise.all(logs.map(appendAll))).flat();
    for (const { name, partitions } of TOPICS) {
      for (let partition = 0; partition < partitions; partition++) {
        const own = positions.filter((p) => p.topic === name && p.partition === partition);
        expectInOrder(
          own.map((p) => p.offset).toSorted((a, b) => a - b),
          engine,
        );
      }
    }
    const texts = await Promise.all(logs.map((log) => textsIn(log)));
    expect(texts[0]).toEqual(texts[1]);
    for (const who of ['0', '1']) {
      const own = texts[0]?.filter((text) => text.startsWith(who));
      expect(own).toEqual(Array.from({ length: 300 }, (_, i) => `${who}:${i}`));
    }
  });

  test('closing writes what is queued, and what was appended is there when the log is opened again', async () => {
    const log = await open();
    const appends = Array.from({ length: 100 }, (_, i) => log.append([record(`${i}`)]));
    await log.close();
    await Promise.all(appends);
    const again = await open();
    expect(await textsIn(again)).toEqual(appends.map((_, i) => `${i}`));
    expect((await again.append([record('next')]))[0]?.offset).toBe(100);
  });

  test('a closed log refuses everything, and may be closed twice', async () => {
    const log = await open();
    await log.close();
    await log.close();
    await expect(log.append([record('late')])).rejects.toThrow(LogClosedError);
    await expect(log.append([])).rejects.toThrow(LogClosedError);
    await expect(log.read({ topic: 'one', partition: 0, offset: 0, maxBytes: 1 })).rejects.toThrow(
      LogClosedError,
    );
    await expect(log.ranges('one')).rejects.toThrow(LogClosedError);
    await expect(log.consume({ group: 'g', topics: ['one'] })).rejects.toThrow(LogClosedError);
    await expect(log.commits('g')).rejects.toThrow(LogClosedError);
    await expect(log.forgetGroup('g')).rejects.toThrow(LogClosedError);
  });

  test('a topic that keeps everything cannot be opened with another partition count', async () => {
    const log = await open();
    await log.append([record('kept', { topic: 'three', partition: 2 })]);
    for (const partitions of [2, 4]) {
      const topics = TOPICS.map((topic) => (topic.name === 'three' ? { ...topic, partitions } : topic));
      await expect(open({ topics })).rejects.toThrow(PartitionsChangedError);
    }
    expect(await textsIn(log, 'three', 2)).toEqual(['kept']);
  });

  test('a topic declared later is added beside the others', async () => {
    const log = await open();
    await log.append([record('old')]);
    const later = await open({ topics: [...TOPICS, { name: 'later', partitions: 2, retentionMs: -1 }] });
    await later.append([record('new', { topic: 'later', partition: 1 })]);
    expect(await textsIn(later, 'later', 1)).toEqual(['new']);
    expect(await textsIn(later)).toEqual(['old']);
  });
};
