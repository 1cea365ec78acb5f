import { LogError, PartitionsChangedError, UnknownPartitionError, UnknownTopicError } from '../event-log.ts';
import { partitionForKey } from '../partition-for-key.ts';
import type { Topic } from '../topics.ts';
import type { Connection } from './connection.ts';

export type PartitionName = { readonly topic: string; readonly partition: number };

/** The declared topics, with their names in the port and on the brokers. */
export type TopicCatalog = {
  readonly brokerNames: readonly string[];
  /** All partitions of a topic. Throws `UnknownTopicError`. */
  partitionsOf(topic: string): readonly PartitionName[];
  /** Throws `UnknownTopicError`, `UnknownPartitionError`. */
  mustExist(name: PartitionName): void;
  /** The partition of a record: the one it names, or the one its key selects. Throws like `mustExist`. */
  place(record: { topic: string; key: string; partition?: number }): PartitionName;
  toBroker(topic: string): string;
  fromBroker(name: string): string;
};

/** @param prefix of every topic name on the brokers. */
export const createTopicCatalog = (topics: readonly Topic[], prefix: string): TopicCatalog => {
  const partitions = new Map(
    topics.map(({ name, partitions }) => [
      name,
      Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
    ]),
  );
  const toBroker = (topic: string): string => prefix + topic;
  const partitionsOf = (topic: string): readonly PartitionName[] => {
    const found = partitions.get(topic);
    if (!found) throw new UnknownTopicError(topic);
    return found;
  };
  const mustExist = ({ topic, partition }: PartitionName): void => {
    if (!partitionsOf(topic)[partition]) throw new UnknownPartitionError(topic, partition);
  };
  return {
    brokerNames: topics.map(({ name }) => toBroker(name)),
    partitionsOf,
    mustExist,
    place: ({ topic, key, partition: chosen }) => {
      const place = { topic, partition: chosen ?? partitionForKey(key, partitionsOf(topic).length) };
      mustExist(place);
      return place;
    },
    toBroker,
    fromBroker: (name) => name.slice(prefix.length),
  };
};

/**
 * Compares the declared topics with those on the brokers. Throws `PartitionsChangedError`, and `LogError`
 * `topic_missing` when one does not exist yet.
 */
export const checkTopics = async (
  topics: readonly Topic[],
  { toBroker }: TopicCatalog,
  connection: Connection,
): Promise<void> => {
  const metadata = await connection.run(({ cluster }) => cluster.metadata());
  const existing = new Map(metadata?.topicMetadata.map((t) => [t.topic, t.partitionMetadata.length]));
  for (const { name, partitions } of topics) {
    const found = existing.get(toBroker(name));
    if (found === undefined) {
      throw new LogError(
        'topic_missing',
        `topic ${toBroker(name)} is not on the brokers; run \`spoor topics apply\``,
      );
    }
    if (found !== partitions) throw new PartitionsChangedError(name, partitions, found);
  }
};
