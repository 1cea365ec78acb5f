import { openConfluentRegistry } from '../../platform/avro/confluent-registry.ts';
import { fingerprintRecords } from '../../platform/avro/fingerprint-records.ts';
import { RegistryError, type SchemaRegistry } from '../../platform/avro/schema-registry.ts';
import type { KafkaEngines } from '../../platform/config/kafka.ts';
import { openKafkaLog } from '../../platform/event-log/kafka/open-kafka-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { retryForever } from '../../platform/retry.ts';
import { type LogAndRegistry, type LogRequest, RECORD_BYTES_MAX } from './store-log.ts';

const NEVER = new AbortController().signal;

/** An unreachable registry will return, so the process waits. Its refusals are final. */
const waitForRegistry = (registry: SchemaRegistry, { waitFor, onError }: LogRequest): SchemaRegistry => ({
  ...registry,
  register: (schema) =>
    waitFor('schema_registry', (isAway) =>
      retryForever(() => registry.register(schema), {
        signal: NEVER,
        onWait: (error) => {
          if (!(error instanceof RegistryError) || error.code !== 'registry_unreachable') throw error;
          isAway();
          onError(error);
        },
      }),
    ),
});

/** The event log and its schema registry on brokers; in a file of its own, since few processes need its libraries. */
export const openLogOnKafka = async (
  request: LogRequest & { readonly kafka: KafkaEngines },
): Promise<LogAndRegistry> => {
  const { kafka, maxQueuedBytes, onError, waitFor } = request;
  const log = await waitFor('event_log', (isAway) =>
    openKafkaLog({
      ...kafka,
      topics: TOPICS,
      maxQueuedBytes,
      maxRecordBytes: RECORD_BYTES_MAX,
      onError: (error) => {
        isAway();
        onError(error);
      },
    }),
  );
  const registry = waitForRegistry(openConfluentRegistry(...kafka.registryUrls), request);
  return fingerprintRecords(log, registry, onError);
};
