import { randomBytes, randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeOnEngines } from '../../../testing/engines/describe-on-engines.ts';
import { PATIENCE } from '../../../testing/patience.ts';
import { type EventLog, PartitionsChangedError } from '../event-log.ts';
import { applyTopics } from './apply-topics.ts';
import { createAdmin } from './kafka-client.ts';
import { openKafkaLog } from './open-kafka-log.ts';

const DAY_MS = 86_400_000;
// A broker hears of a changed setting a little after whoever changed it was answered.
const TOPICS = [
  { name: 'kept', partitions: 2, retentionMs: -1 },
  { name: 'forgets', partitions: 1, retentionMs: DAY_MS },
];

describeOnEngines('topics on a real broker', ({ brokers }) => {
  const admin = createAdmin({ brokers: [brokers] });
  const opened: EventLog[] = [];
  let address = { brokers: [brokers], prefix: '' };
  beforeEach(async () => {
    address = { brokers: [brokers], prefix: `${randomUUID()}.` };
    await admin.connect();
  });
  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close();
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(address.prefix));
    await admin.deleteTopics({ topics });
    await admin.disconnect();
  });

  const settingsOf = async (topic: string): Promise<Record<string, string>> => {
    const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: address.prefix + topic };
    const { resources } = await admin.describeConfigs({ resources: [resource], includeSynonyms: false });
    return Object.fromEntries(
      (resources[0]?.configEntries ?? []).map(({ configName, configValue }) => [configName, configValue]),
    );
  };
  const untilSet = (topic: string, settings: Record<string, string>): Promise<void> =>
    expect.poll(() => settingsOf(topic), PATIENCE).toMatchObject(settings);
  const set = async (topic: string, name: string, value: string): Promise<void> => {
    const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: address.prefix + topic };
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ ...resource, configEntries: [{ name, value }] }],
    });
    await untilSet(topic, { [name]: value });
  };
  const open = async (): Promise<EventLog> => {
    const log = await openKafkaLog({
      ...address,
      topics: TOPICS,
      maxQueuedBytes: 1_000_000,
      maxRecordBytes: 1_000_000,
    });
    opened.push(log);
    return log;
  };

  test('missing topics are created as declared, and a second run changes nothing', async () => {
    const first = await applyTopics({ ...address, topics: TOPICS });
    expect(first.map(({ topic, action }) => [topic, action])).toEqual([
      ['kept', 'created'],
      ['forgets', 'created'],
    ]);
    await untilSet('kept', { 'retention.ms': '-1', 'cleanup.policy': 'delete' });
    await untilSet('forgets', { 'retention.ms': String(DAY_MS) });
    const second = await applyTopics({ ...address, topics: TOPICS });
    expect(second.map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
  });

  test('a topic whose newest records say it all is compacted by the brokers, and one that is declared so later becomes it', async () => {
    const compacted = TOPICS.map((topic) => ({ ...topic, isCompacted: true }));
    await applyTopics({ ...address, topics: TOPICS });
    const applied = await applyTopics({ ...address, topics: compacted });
    expect(applied.map(({ changed }) => changed)).toEqual([['cleanup.policy'], ['cleanup.policy']]);
    await untilSet('kept', { 'cleanup.policy': 'compact' });
    await untilSet('forgets', { 'cleanup.policy': 'compact,delete' });
    const again = await applyTopics({ ...address, topics: compacted });
    expect(again.map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
  });

  test('several that create the topics at the same moment all succeed', async () => {
    await Promise.all([1, 2, 3].map(() => applyTopics({ ...address, topics: TOPICS })));
    await expect(open()).resolves.toBeDefined();
  });

  test('a setting that was changed is set again and named, and what others have set beside it stays', async () => {
    await applyTopics({ ...address, topics: TOPICS });
    await set('kept', 'segment.bytes', '2000000');
    await set('forgets', 'retention.ms', '60000');
    const [kept, forgets] = await applyTopics({ ...address, topics: TOPICS });
    expect(kept?.action).toBe('changed');
    expect(forgets).toMatchObject({ action: 'changed', changed: expect.arrayContaining(['retention.ms']) });
    await untilSet('kept', { 'retention.ms': '-1', 'segment.bytes': '2000000' });
    await untilSet('forgets', { 'retention.ms': String(DAY_MS) });
  });

  test('a source of truth never gets another partition count, and then nothing at all is changed', async () => {
    await applyTopics({ ...address, topics: TOPICS });
    const more = TOPICS.map((topic) => ({ ...topic, partitions: topic.partitions + 1 }));
    await expect(applyTopics({ ...address, topics: more.toReversed() })).rejects.toThrow(
      PartitionsChangedError,
    );
    await expect(open()).resolves.toBeDefined();
    const [, grown] = await applyTopics({
      ...address,
      topics: TOPICS.map((topic) => (topic.retentionMs < 0 ? topic : { ...topic, partitions: 3 })),
    });
    expect(grown?.action).toBe('grown');
  });

  test('a log whose topics nobody has created yet says what to do', async () => {
    await expect(open()).rejects.toMatchObject({ code: 'topic_missing' });
  });

  test('what the broker refuses is refused by name and never readable, and what comes with it or after it is kept', async () => {
    await applyTopics({ ...address, topics: TOPICS });
    await set('kept', 'max.message.bytes', '1000');
    const log = await open();
    const record = (topic: string, value: Buffer, partition = 0) => ({ topic, key: '', value, partition });
    // Nothing that shrinks on its way.
    const large = record('kept', randomBytes(5_000));
    const [fits, batch, transaction] = await Promise.allSettled([
      log.append([record('forgets', Buffer.from('fits'))]),
      log.append([large]),
      log.append([record('forgets', Buffer.from('lost')), record('kept', Buffer.from('lost'), 1), large]),
    ]);
    expect(fits.status).toBe('fulfilled');
    const refusal = { status: 'rejected', reason: expect.objectContaining({ code: 'kafka_refused' }) };
    expect([batch, transaction]).toMatchObject([refusal, refusal]);
    await log.append([record('forgets', Buffer.from('after')), record('kept', Buffer.from('after'), 1)]);
    const textsIn = async (topic: string, partition: number) =>
      (await log.read({ topic, partition, offset: 0, maxBytes: 100_000 })).map((r) => r.value.toString());
    expect(await textsIn('forgets', 0)).toEqual(['fits', 'after']);
    expect([...(await textsIn('kept', 0)), ...(await textsIn('kept', 1))]).toEqual(['after']);
    const [, ended] = await log.ranges('kept');
    expect(ended?.end).toBeGreaterThan(1);
  });

  test('a group far behind what retention has deleted goes on at the beginning, and says where it stood', async () => {
    await applyTopics({ ...address, topics: TOPICS });
    const log = await open();
    await log.append(
      ['a', 'b', 'c'].map((text) => ({ topic: 'forgets', key: '', value: Buffer.from(text) })),
    );
    const topic = `${address.prefix}forgets`;
    // kafkajs looks for the partition's leader before it has asked for any.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
    expect(await log.ranges('forgets')).toMatchObject([{ begin: 2, end: 3 }]);
    const request = { topic: 'forgets', partition: 0, offset: 0, maxBytes: 1_000 };
    expect((await log.read(request)).map(({ offset }) => offset)).toEqual([2]);
    const consumer = await log.consume({ group: 'group', topics: ['forgets', 'kept'] });
    const batch = await consumer.poll({ maxBytes: 1_000, waitMs: PATIENCE.timeout });
    expect(batch).toMatchObject({ from: 0, records: [{ offset: 2 }] });
  });
});
