import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import { openEmbeddedLog } from '../platform/event-log/embedded/open-embedded-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';
import { testLedger } from './ledger.contract.ts';
import { openLedgerCodec } from './ledger-codec.ts';

const MIB = 1 << 20;

testLedger(async (folder) => ({
  log: await openEmbeddedLog({
    folder,
    topics: TOPICS,
    maxQueuedBytes: 4 * MIB,
    maxRecordBytes: MIB,
    leaseMs: 1_500,
  }),
  codec: await openLedgerCodec(openLocalRegistry(`${folder}/schemas.json`)),
}));
