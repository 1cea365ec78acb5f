import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { openConfluentRegistry } from '../../platform/avro/confluent-registry.ts';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { openEmbeddedLog } from '../../platform/event-log/embedded/open-embedded-log.ts';
import { applyTopics } from '../../platform/event-log/kafka/apply-topics.ts';
import { openKafkaLog } from '../../platform/event-log/kafka/open-kafka-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';

const MIB = 1 << 20;
const LIMITS = { maxQueuedBytes: 4 * MIB, maxRecordBytes: MIB };

/** Where a ledger's log is: in files of the folder, or on a broker under the prefix. Its snapshot is in the folder. */
export type LedgerPlace = {
  readonly folder: string;
  readonly kafka: { readonly brokers: string; readonly registryUrl: string; readonly prefix: string } | null;
};

/** What a ledger stands on, as one more process would open it. */
export const openLedgerEngine = ({ folder, kafka }: LedgerPlace) =>
  kafka === null ? openEmbedded(folder) : openOnBroker(folder, kafka);

const openEmbedded = async (folder: string) => ({
  folder,
  log: await openEmbeddedLog({ ...LIMITS, folder, topics: TOPICS, leaseMs: 1_500 }),
  codec: await openLedgerCodec(openLocalRegistry(`${folder}/schemas.json`)),
});

const openOnBroker = async (
  folder: string,
  { brokers, registryUrl, prefix }: NonNullable<LedgerPlace['kafka']>,
) => {
  const address = { brokers: [brokers], prefix, topics: TOPICS };
  await applyTopics(address);
  return {
    folder,
    log: await openKafkaLog({ ...LIMITS, ...address, leaseMs: 6_000 }),
    codec: await openLedgerCodec(openConfluentRegistry(registryUrl)),
  };
};
