import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { openEmbeddedLog } from '../../platform/event-log/embedded/open-embedded-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { testPaymentBook } from './payment-book.contract.ts';

const MIB = 1 << 20;

testPaymentBook(async (folder) => ({
  log: await openEmbeddedLog({
    folder,
    topics: TOPICS,
    maxQueuedBytes: 4 * MIB,
    maxRecordBytes: MIB,
    leaseMs: 1_500,
  }),
  registry: openLocalRegistry(`${folder}/schemas.json`),
}));
