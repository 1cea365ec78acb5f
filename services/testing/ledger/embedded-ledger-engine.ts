import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { openEmbeddedLog } from '../../platform/event-log/embedded/open-embedded-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';

const MIB = 1 << 20;

/** What a ledger stands on, in the files of a folder: as one more process would open them. */
export const openEmbeddedEngine = async (folder: string) => ({
  folder,
  log: await openEmbeddedLog({
    folder,
    topics: TOPICS,
    maxQueuedBytes: 4 * MIB,
    maxRecordBytes: MIB,
    leaseMs: 1_500,
  }),
  codec: await openLedgerCodec(openLocalRegistry(`${folder}/schemas.json`)),
});
