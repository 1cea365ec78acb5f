import { expect, test } from 'vitest';
import { GroupHeldError, UnknownTopicError } from '../event-log.ts';
import { commitOf, joinGroup, POLL, textsOf } from './consume.ts';
import { createHarness, type EventLogEngine, record } from './engine.ts';

export const testJoining = (engine: EventLogEngine): void => {
  const { open } = createHarness(engine);

  test('groups do not know of each other', async () => {
    const log = await open();
    await log.append([record('a')]);
    const [left, right] = [await joinGroup(log, { group: 'left' }), await joinGroup(log, { group: 'right' })];
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
    const first = await joinGroup(log);
    await first.poll(POLL);
    const second = joinGroup(other);
    await first.commit(commitOf(1, { metadata: 'one done' }));
    await first.close();
    expect((await second).resumedFrom).toEqual([commitOf(1, { metadata: 'one done' })]);
    expect(textsOf(await (await second).poll(POLL))).toEqual(['b', 'c']);
  });

  test('a member that lives is not pushed out: the second one gives up after its waiting time', async () => {
    const log = await open();
    const first = await joinGroup(log);
    await expect(joinGroup(log, { waitMs: 300 })).rejects.toThrow(GroupHeldError);
    await expect(joinGroup(await open(), { waitMs: 300 })).rejects.toThrow(GroupHeldError);
    await first.commit(commitOf(0));
  });

  test('waiting for a group can be aborted', async () => {
    const log = await open();
    await joinGroup(log);
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
    const consumer = await joinGroup(log);
    await consumer.commit(commitOf(1));
    await expect(log.forgetGroup('group')).rejects.toThrow(GroupHeldError);
    expect(await log.commits('group')).toEqual([commitOf(1)]);
    await consumer.close();
    await log.forgetGroup('group');
    expect(await log.commits('group')).toEqual([]);
    expect(textsOf(await (await joinGroup(log)).poll(POLL))).toEqual(['a']);
  });

  test('a group nobody has heard of can be forgotten', async () => {
    await expect((await open()).forgetGroup('nobody')).resolves.toBeUndefined();
  });

  test('closing the log gives its groups back', async () => {
    const log = await open();
    await joinGroup(log);
    await log.close();
    await expect(joinGroup(await open(), { waitMs: 5_000 })).resolves.toBeDefined();
  });

  test('consuming an unknown topic is refused and does not take the group', async () => {
    const log = await open();
    await expect(joinGroup(log, { topics: ['one', 'none'] })).rejects.toThrow(UnknownTopicError);
    await expect(joinGroup(log, { waitMs: 0 })).resolves.toBeDefined();
  });
};
