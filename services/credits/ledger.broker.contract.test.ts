import { basename } from 'node:path';
import { openConfluentRegistry } from '../platform/avro/confluent-registry.ts';
import { applyTopics } from '../platform/event-log/kafka/apply-topics.ts';
import { openKafkaLog } from '../platform/event-log/kafka/open-kafka-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';
import { describeOnEngines } from '../testing/engines/describe-on-engines.ts';
import { testLedger } from './ledger.contract.ts';
import { openLedgerCodec } from './ledger-codec.ts';

const MIB = 1 << 20;

describeOnEngines('the ledger on a real broker and registry', ({ brokers, registryUrl }) => {
  testLedger(async (folder) => {
    const address = { brokers: [brokers], prefix: `${basename(folder)}.`, topics: TOPICS };
    await applyTopics(address);
    const log = await openKafkaLog({
      ...address,
      maxQueuedBytes: 4 * MIB,
      maxRecordBytes: MIB,
      leaseMs: 6_000,
    });
    return { log, codec: await openLedgerCodec(openConfluentRegistry(registryUrl)) };
  });
});
