import type { KafkaEngines } from '../../platform/config/kafka.ts';
import { type AppliedTopic, applyTopics } from '../../platform/event-log/kafka/apply-topics.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { type StoreName, topicPrefix } from './open-store.ts';

/** Creates and updates a store's topics on the brokers as declared. Throws as `applyTopics`. */
export const applyStoreTopics = (
  kafka: KafkaEngines,
  name: StoreName,
  copies: { replicationFactor?: number; minInSyncReplicas?: number } = {},
): Promise<AppliedTopic[]> =>
  applyTopics({ ...kafka, topics: TOPICS, prefix: topicPrefix(name, kafka), ...copies });
