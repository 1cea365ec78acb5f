import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AppendRecord, Commit, Consumer, EventLog } from '../event-log.ts';
import { partitionForKey } from '../partition-for-key.ts';
import { type EventLogEngine, TOPICS } from './engine.ts';

const topic = fc.constantFrom('one', 'three');
const place = fc.record({ topic, partition: fc.nat(2) });
const appended = fc.record({
  topic,
  key: fc.string({ maxLength: 4 }),
  value: fc.uint8Array({ maxLength: 400 }),
});

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('append'), records: fc.array(appended, { maxLength: 6 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('read'), place, from: fc.nat(20), length: fc.nat(20) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('poll'), maxBytes: fc.integer({ min: 1, max: 900 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('commit'), place, metadata: fc.string() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('seek'),
      place,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rejoin') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen') }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Place = { topic: string; partition: number };
const nameOf = ({ topic, partition }: Place): string => `${topic}/${partition}`;

/** The plainest log there can be: arrays and maps. */
type Stored = { offset: number; value: string };
type Model = {
  records: Map<string, Stored[]>;
  cursors: Map<string, number>;
  commits: Map<string, { offset: number; metadata: string }>;
};

const places = TOPICS.flatMap(({ name, partitions }) =>
  Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
);
const emptyModel = (): Model => ({
  records: new Map(places.map((p) => [nameOf(p), []])),
  cursors: new Map(places.map((p) => [nameOf(p), 0])),
  commits: new Map(),
});

type Session = {
  engine: EventLogEngine;
  model: Model;
  log: EventLog;
  consumer: Consumer;
  reopen(): Promise<EventLog>;
};
const GROUP = { group: 'modelled', topics: ['one', 'three'] };
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const partitionsOf = (name: string): number => TOPICS.find((t) => t.name === name)?.partitions ?? 1;
const existing = ({ topic, partition }: Place): Place => ({
  topic,
  partition: partition % partitionsOf(topic),
});
const listOf = (model: Model, place: Place): Stored[] => model.records.get(nameOf(place)) ?? [];
const endOf = (list: readonly Stored[]): number => (list.at(-1)?.offset ?? -1) + 1;
const unreadOf = (model: Model, place: Place): Stored[] =>
  listOf(model, place).filter(({ offset }) => offset >= (model.cursors.get(nameOf(place)) ?? 0));
const commitsOf = (model: Model): Commit[] =>
  places.flatMap((place) => {
    const commit = model.commits.get(nameOf(place));
    return commit === undefined ? [] : [{ ...place, ...commit }];
  });

const append = async ({ model, log, engine }: Session, records: AppendRecord[]): Promise<void> => {
  const positions = await log.append(records);
  for (const [i, { topic, key, value }] of records.entries()) {
    const place = { topic, partition: partitionForKey(key, partitionsOf(topic)) };
    const list = listOf(model, place);
    const offset = positions[i]?.offset ?? -1;
    expect(positions[i]).toEqual({ ...place, offset: engine.hasMarks ? offset : list.length });
    expect(offset).toBeGreaterThanOrEqual(endOf(list));
    list.push({ offset, value: hex(value) });
  }
  expect(positions.length).toBe(records.length);
};

const poll = async ({ model, consumer }: Session, maxBytes: number): Promise<void> => {
  const hasUnread = places.some((place) => unreadOf(model, place).length > 0);
  const batch = await consumer.poll({ maxBytes, waitMs: hasUnread ? 10_000 : 0 });
  if (batch === null) return expect(hasUnread).toBe(false);
  const unread = unreadOf(model, batch);
  const found = batch.records.map(({ offset, value }) => ({ offset, value: hex(value) }));
  expect(batch.from).toBe(model.cursors.get(nameOf(batch)));
  expect(found).toEqual(unread.slice(0, found.length));
  expect(found.length).toBeGreaterThan(0);
  model.cursors.set(nameOf(batch), endOf(found));
};

const rejoin = async (session: Session): Promise<void> => {
  const { model, log } = session;
  await session.consumer.close();
  session.consumer = await log.consume(GROUP);
  expect(session.consumer.resumedFrom).toEqual(commitsOf(model));
  for (const p of places) model.cursors.set(nameOf(p), model.commits.get(nameOf(p))?.offset ?? 0);
};

const read = async ({ model, log }: Session, wanted: Place, from: number, length: number): Promise<void> => {
  const place = existing(wanted);
  const records = await log.read({ ...place, offset: from, until: from + length, maxBytes: 1_000_000 });
  const expected = listOf(model, place).filter(({ offset }) => offset >= from && offset < from + length);
  expect(records.map(({ offset, value }) => ({ offset, value: hex(value) }))).toEqual(expected);
  const range = (await log.ranges(place.topic)).find((r) => r.partition === place.partition);
  expect(range).toEqual({ ...place, begin: 0, end: endOf(listOf(model, place)) });
};

const take = async (session: Session, next: Step): Promise<void> => {
  const { model, consumer } = session;
  if ('records' in next) await append(session, next.records);
  else if ('length' in next) await read(session, next.place, next.from, next.length);
  else if ('maxBytes' in next) await poll(session, next.maxBytes);
  else if ('metadata' in next) {
    const place = existing(next.place);
    const commit = { offset: model.cursors.get(nameOf(place)) ?? 0, metadata: next.metadata };
    await consumer.commit({ ...place, ...commit });
    model.commits.set(nameOf(place), commit);
  } else if ('share' in next) {
    const place = existing(next.place);
    const offset = Math.floor(next.share * endOf(listOf(model, place)));
    consumer.seek({ ...place, offset });
    model.cursors.set(nameOf(place), offset);
  } else {
    if (next.do === 'reopen') {
      await session.log.close();
      session.log = await session.reopen();
    }
    await rejoin(session);
  }
};

export const testAgainstModel = (engine: EventLogEngine, numRuns: number): void => {
  test('whatever is appended, read, polled, sought, committed and reopened, a plain list would do the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const provisioned = await engine.provision();
        const reopen = () =>
          provisioned.open({ topics: TOPICS, maxQueuedBytes: 2_000, maxRecordBytes: 1_000 });
        const log = await reopen();
        const consumer = await log.consume(GROUP);
        const session: Session = { engine, model: emptyModel(), log, consumer, reopen };
        try {
          for (const next of steps) await take(session, next);
          expect(await session.log.commits(GROUP.group)).toEqual(commitsOf(session.model));
        } finally {
          await session.log.close();
          await provisioned.remove();
        }
      }),
      { numRuns },
    );
  });
};
