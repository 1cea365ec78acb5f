import { basename } from 'node:path';
import { openConfluentRegistry } from '../../platform/avro/confluent-registry.ts';
import { applyTopics } from '../../platform/event-log/kafka/apply-topics.ts';
import { openKafkaLog } from '../../platform/event-log/kafka/open-kafka-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { describeOnEngines } from '../../testing/engines/describe-on-engines.ts';
import { testPaymentBook } from './payment-book.contract.ts';

const MIB = 1 << 20;

describeOnEngines('the book of payments on a real broker and registry', ({ brokers, registryUrl }) => {
  testPaymentBook(async (folder) => {
    const address = { brokers: [brokers], prefix: `${basename(folder)}.`, topics: TOPICS };
    await applyTopics(address);
    const log = await openKafkaLog({
      ...address,
      maxQueuedBytes: 4 * MIB,
      maxRecordBytes: MIB,
      leaseMs: 6_000,
    });
    return { log, registry: openConfluentRegistry(registryUrl) };
  });
});
