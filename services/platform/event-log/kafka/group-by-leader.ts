import type { Session } from './connection.ts';
import type { Broker } from './kafka-client.ts';
import type { PartitionName, TopicCatalog } from './topic-catalog.ts';

/** Groups these by the broker to ask, so that each broker is asked once. */
export const groupByLeader = async <T extends PartitionName>(
  session: Session,
  catalog: TopicCatalog,
  items: readonly T[],
): Promise<Map<Broker, T[]>> => {
  const groups = new Map<Broker, T[]>();
  for (const item of items) {
    const leader = await session.leader(catalog.toBroker(item.topic), item.partition);
    const group = groups.get(leader);
    if (group) group.push(item);
    else groups.set(leader, [item]);
  }
  return groups;
};

/** In the form of requests: each topic once, with its name on the brokers. */
export const groupByTopic = <T extends PartitionName, P>(
  catalog: TopicCatalog,
  items: readonly T[],
  toPartition: (item: T) => P,
): { topic: string; partitions: P[] }[] => {
  const topics = new Map<string, P[]>();
  for (const item of items) {
    const topic = catalog.toBroker(item.topic);
    const partitions = topics.get(topic);
    if (partitions) partitions.push(toPartition(item));
    else topics.set(topic, [toPartition(item)]);
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }));
};
