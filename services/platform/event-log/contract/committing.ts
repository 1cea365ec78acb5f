import { expect, test } from 'vitest';
import { LogClosedError, RecordTooLargeError } from '../event-log.ts';
import { commitOf, joinGroup, POLL, textsOf } from './consume.ts';
import { createHarness, type EventLogEngine, expectInOrder, record } from './engine.ts';

export const testCommitting = (engine: EventLogEngine): void => {
  const { open } = createHarness(engine);

  test('only partitions of its topics can be sought or committed', async () => {
    const consumer = await joinGroup(await open());
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
    const first = await joinGroup(log, { topics: ['one', 'three'] });
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
    const second = await joinGroup(again, { topics: ['one', 'three'] });
    expect(second.resumedFrom).toEqual(commits);
    expect(textsOf(await second.poll(POLL))).toEqual(['c']);
  });

  test('a consumer resumes only from commits of its own topics', async () => {
    const log = await open();
    const first = await joinGroup(log, { topics: ['one', 'three'] });
    await first.commit(commitOf(4, { topic: 'three', partition: 2 }));
    await first.commit(commitOf(3));
    await first.close();
    expect((await joinGroup(log, { topics: ['one'] })).resumedFrom).toEqual([commitOf(3)]);
  });

  test('what was read but not committed is read again', async () => {
    const log = await open();
    await log.append(['a', 'b'].map((text) => record(text)));
    const first = await joinGroup(log);
    await first.poll(POLL);
    await first.commit(commitOf(1));
    await first.close();
    expect(textsOf(await (await joinGroup(log)).poll(POLL))).toEqual(['b']);
  });

  test('records and commits of one transaction are there together, and whoever waits for the records gets them', async () => {
    const log = await open();
    await log.append([record('a'), record('b')]);
    const reader = await joinGroup(log, { group: 'reader', topics: ['three'] });
    const polled = reader.poll(POLL);
    const writer = await joinGroup(log);
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
    const consumer = await joinGroup(log);
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
};
