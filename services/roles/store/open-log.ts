import { join } from 'node:path';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { readEntries } from '../../platform/avro/registry-file.ts';
import { openEmbeddedLog } from '../../platform/event-log/embedded/open-embedded-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { type LogAndRegistry, type LogRequest, RECORD_BYTES_MAX } from './store-log.ts';

/** The event log and its schema registry: files in the folder, or brokers. */
export const openLog = async (request: LogRequest): Promise<LogAndRegistry> => {
  const { kafka } = request;
  if (kafka) return (await import('./open-log-on-kafka.ts')).openLogOnKafka({ ...request, kafka });
  const schemas = join(request.folder, 'schemas.json');
  // Schemas are registered when the log exists, before anything is written.
  const wasWritten = readEntries(schemas).length > 0;
  const log = await request.waitFor('event_log', () =>
    openEmbeddedLog({
      folder: join(request.folder, 'log'),
      wasWritten,
      topics: TOPICS,
      maxQueuedBytes: request.maxQueuedBytes,
      maxRecordBytes: RECORD_BYTES_MAX,
      onError: request.onError,
    }),
  );
  const hasRecords = async (): Promise<boolean> => {
    const ranges = await Promise.all(TOPICS.map(({ name }) => log.ranges(name)));
    return ranges.flat().some(({ begin, end }) => begin < end);
  };
  // Files contain them; decoders report missing ones.
  const here = { ...log, waitsForSchema: () => false };
  return { log: here, registry: openLocalRegistry(schemas, { hasRecords }) };
};
