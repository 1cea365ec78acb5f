import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Admin } from 'kafkajs';
import { LogError, PartitionsChangedError } from '../event-log.ts';
import type { Topic } from '../topics.ts';
import { MESSAGE_BYTES_MAX } from './batch-records.ts';
import { type BrokerAddress, createAdmin } from './kafka-client.ts';
import { toLogError } from './kafka-error.ts';

export type ApplyTopicsOptions = BrokerAddress & {
  readonly topics: readonly Topic[];
  /** Prefix of every topic name on the brokers. Default: none. */
  readonly prefix?: string;
  /**
   * Copies of each partition, and how many of them must have a record before it is acknowledged. Default: the
   * brokers' settings.
   */
  readonly replicationFactor?: number;
  readonly minInSyncReplicas?: number;
};

/** The result for a topic. `changed` lists the settings. */
export type AppliedTopic = {
  readonly topic: string;
  readonly action: 'created' | 'grown' | 'changed' | 'unchanged';
  readonly changed: readonly string[];
};

const KNOWN_MS = 30_000;
const LOOK_MS = 50;
const AS_THE_BROKERS_SAY = -1;

type Settings = Readonly<Record<string, string>>;

/**
 * Kafka's names of the settings. A topic that keeps everything has the cleanup policy "delete" with unlimited
 * retention.
 */
const cleanupOf = ({ retentionMs, isCompacted = false }: Topic): string => {
  if (!isCompacted) return 'delete';
  return retentionMs < 0 ? 'compact' : 'compact,delete';
};

const settingsOf = (topic: Topic, { minInSyncReplicas }: ApplyTopicsOptions): Settings => ({
  'cleanup.policy': cleanupOf(topic),
  'retention.ms': String(topic.retentionMs),
  // Topics are pruned by age only. By size, a source of truth would lose its beginning.
  'retention.bytes': '-1',
  ...(minInSyncReplicas === undefined ? {} : { 'min.insync.replicas': String(minInSyncReplicas) }),
  // A replica that lacks acknowledged records must never become the leader.
  'unclean.leader.election.enable': 'false',
  'max.message.bytes': String(MESSAGE_BYTES_MAX),
  'message.timestamp.type': 'CreateTime',
  'compression.type': 'producer',
});

const entriesOf = (settings: Settings): { name: string; value: string }[] =>
  Object.entries(settings).map(([name, value]) => ({ name, value }));

/**
 * Makes the brokers' topics match the declaration: creates missing ones, sets differing settings, and changes
 * nothing else. Idempotent, and safe to run concurrently. Throws `PartitionsChangedError` before it changes
 * anything, and `LogError` when the brokers refuse or do not answer.
 */
export const applyTopics = async (options: ApplyTopicsOptions): Promise<AppliedTopic[]> => {
  const admin = createAdmin(options);
  try {
    await admin.connect();
    const existing = await countPartitions(admin, options);
    for (const topic of options.topics) mustKeepPartitions(topic, existing.get(topic.name));
    const applied: AppliedTopic[] = [];
    for (const topic of options.topics)
      applied.push(await applyTopic(admin, topic, existing.get(topic.name), options));
    await untilKnown(admin, options);
    return applied;
  } catch (error) {
    throw toLogError(error);
  } finally {
    await admin.disconnect();
  }
};

const countPartitions = async (
  admin: Admin,
  { topics, prefix = '' }: ApplyTopicsOptions,
): Promise<Map<string, number>> => {
  const declared = new Set(topics.map(({ name }) => prefix + name));
  const { topics: present } = await admin.fetchTopicMetadata();
  return new Map(
    present
      .filter(({ name }) => declared.has(name))
      .map(({ name, partitions }) => [name.slice(prefix.length), partitions.length]),
  );
};

/** The controller knows a new topic before the other brokers do. */
const untilKnown = async (admin: Admin, options: ApplyTopicsOptions): Promise<void> => {
  for (const endMs = performance.now() + KNOWN_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
    const known = await countPartitions(admin, options);
    if (options.topics.every(({ name, partitions }) => known.get(name) === partitions)) return;
  }
  throw new LogError('kafka_away', 'the brokers have not created the topics yet; run the command again');
};

/** Only a topic with retention may get more partitions, and none may get fewer. */
const mustKeepPartitions = ({ name, partitions, retentionMs }: Topic, existing: number | undefined): void => {
  if (existing === undefined || existing === partitions) return;
  if (existing > partitions || retentionMs < 0) throw new PartitionsChangedError(name, partitions, existing);
};

const applyTopic = async (
  admin: Admin,
  topic: Topic,
  existing: number | undefined,
  options: ApplyTopicsOptions,
): Promise<AppliedTopic> => {
  const name = (options.prefix ?? '') + topic.name;
  const settings = settingsOf(topic, options);
  if (existing === undefined) {
    const created = await admin.createTopics({
      // Kafka's own wait fails when a broker does not know the topic yet.
      waitForLeaders: false,
      topics: [
        {
          topic: name,
          numPartitions: topic.partitions,
          replicationFactor: options.replicationFactor ?? AS_THE_BROKERS_SAY,
          configEntries: entriesOf(settings),
        },
      ],
    });
    // Another process created it at the same moment, from the same declaration.
    return { topic: topic.name, action: created ? 'created' : 'unchanged', changed: [] };
  }
  if (existing < topic.partitions) {
    await admin.createPartitions({ topicPartitions: [{ topic: name, count: topic.partitions }] });
  }
  const changed = await applySettings(admin, name, settings);
  const action = existing < topic.partitions ? 'grown' : changed.length > 0 ? 'changed' : 'unchanged';
  return { topic: topic.name, action, changed };
};

/**
 * Sets differing settings and keeps those that others have added, because the request replaces all settings
 * of a topic at once.
 */
const applySettings = async (admin: Admin, name: string, wanted: Settings): Promise<string[]> => {
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const { resources } = await admin.describeConfigs({ resources: [{ type, name }], includeSynonyms: false });
  const present = resources[0]?.configEntries ?? [];
  const current = new Map(present.map(({ configName, configValue }) => [configName, configValue]));
  const changed = Object.keys(wanted).filter((setting) => current.get(setting) !== wanted[setting]);
  if (changed.length === 0) return [];
  const own = present.filter(({ configSource }) => configSource === TOPIC_CONFIG_SOURCE);
  const kept = Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]));
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type, name, configEntries: entriesOf({ ...kept, ...wanted }) }],
  });
  return changed;
};

/** A setting made for this topic, not a default. */
const TOPIC_CONFIG_SOURCE = 1;
