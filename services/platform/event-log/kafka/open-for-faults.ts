import type { OpenForFaults } from '../faults/fault-log.ts';
import { applyTopics } from './apply-topics.ts';
import { openKafkaLog } from './open-kafka-log.ts';

/** The least a broker allows unless it is told otherwise. */
export const FAULT_LEASE_MS = 6_000;

/** What the fault suite and its child processes open: `place` is the broker and a prefix for all names on it. */
export const openForFaults: OpenForFaults = async (place, topics) => {
  const [brokers = '', prefix = ''] = place.split('/');
  const address = { brokers: [brokers], prefix, topics };
  await applyTopics(address);
  return openKafkaLog({
    ...address,
    maxQueuedBytes: 1_000_000,
    maxRecordBytes: 1_000_000,
    leaseMs: FAULT_LEASE_MS,
  });
};
