import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EventLog, UnknownPartitionError, UnknownTopicError } from '../event-log.ts';
import { createHarness, type EventLogEngine, record, textsIn } from './engine.ts';

const fill = async (log: EventLog, count: number): Promise<void> => {
  await log.append(Array.from({ length: count }, (_, i) => record(`${i}`)));
};

export const testReading = (engine: EventLogEngine): void => {
  const { open } = createHarness(engine);
  const offsetsOf = async (log: EventLog, request: { offset: number; maxBytes: number; until?: number }) =>
    (await log.read({ topic: 'one', partition: 0, ...request })).map((r) => r.offset);

  test('reading begins at the offset and ends before `until`', async () => {
    const log = await open();
    await fill(log, 10);
    expect(await offsetsOf(log, { offset: 7, maxBytes: 100_000 })).toEqual([7, 8, 9]);
    expect(await offsetsOf(log, { offset: 2, until: 5, maxBytes: 100_000 })).toEqual([2, 3, 4]);
    expect(await offsetsOf(log, { offset: 5, until: 5, maxBytes: 100_000 })).toEqual([]);
  });

  test('reading at the end, or of a partition without records, gives nothing', async () => {
    const log = await open();
    await fill(log, 3);
    expect(await offsetsOf(log, { offset: 3, maxBytes: 100_000 })).toEqual([]);
    expect(await log.read({ topic: 'three', partition: 1, offset: 0, maxBytes: 1 })).toEqual([]);
  });

  test('reading stops after the record that reaches the byte limit, and gives at least one', async () => {
    const log = await open();
    const sizes = [10, 5_000, 40_000, 20, 90_000, 3];
    await log.append(sizes.map((size) => record('', { value: Buffer.alloc(size) })));
    await fc.assert(
      fc.asyncProperty(fc.nat(5), fc.integer({ min: 1, max: 150_000 }), async (offset, maxBytes) => {
        const records = await log.read({ topic: 'one', partition: 0, offset, maxBytes });
        expect(records.map((r) => r.offset)).toEqual(records.map((_, i) => offset + i));
        expect(records.length).toBeGreaterThan(0);
        const beforeLast = records.slice(0, -1).reduce((sum, r) => sum + r.value.length, 0);
        expect(beforeLast).toBeLessThan(maxBytes);
      }),
    );
  });

  test('records without a value are bounded, too', async () => {
    const log = await open();
    await log.append(Array.from({ length: 5_000 }, () => record('', { key: '' })));
    expect((await offsetsOf(log, { offset: 0, maxBytes: 1_000 })).length).toBeLessThan(5_000);
  });

  test('records stay as they are while others are appended, by this process and by others', async () => {
    const log = await open();
    const other = await open();
    await fill(log, 5);
    const before = await textsIn(log);
    await other.append([record('other')]);
    await log.append([record('own')]);
    expect(await textsIn(log)).toEqual([...before, 'other', 'own']);
  });

  test('ranges say where every partition begins and ends, also after another process appended', async () => {
    const log = await open();
    const other = await open();
    const positions = await log.append([record('a', { topic: 'three', partition: 1 })]);
    positions.push(
      ...(await other.append([0, 1].map((partition) => record('b', { topic: 'three', partition })))),
    );
    const endOf = (partition: number) =>
      Math.max(0, ...positions.filter((p) => p.partition === partition).map((p) => p.offset + 1));
    expect(await log.ranges('three')).toEqual(
      [0, 1, 2].map((partition) => ({ topic: 'three', partition, begin: 0, end: endOf(partition) })),
    );
  });

  test('a topic or partition that does not exist is named', async () => {
    const log = await open();
    const request = { offset: 0, maxBytes: 1 };
    await expect(log.read({ ...request, topic: 'none', partition: 0 })).rejects.toThrow(UnknownTopicError);
    await expect(log.read({ ...request, topic: 'one', partition: 1 })).rejects.toThrow(UnknownPartitionError);
    await expect(log.ranges('none')).rejects.toThrow('topic none is not declared');
  });
};
