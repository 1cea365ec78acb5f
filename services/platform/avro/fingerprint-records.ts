import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AppendRecord,
  type Batch,
  type Consumer,
  type EventLog,
  LogClosedError,
  type StoredRecord,
} from '../event-log/event-log.ts';
import { retryForever } from '../retry.ts';
import { createKnownSchemas, type KnownSchemas } from './known-schemas.ts';
import type { SchemaRegistry } from './schema-registry.ts';
import { HEADER_BYTES, splitRecord, writeHeader } from './wire-format.ts';

/**
 * The header with the fingerprint of the schema that the body was written with, whatever its id means now.
 */
const FINGERPRINT = 'schema-fingerprint';

/**
 * The registry does not have the schema of a record. It may only be late, and decoding with a guess would be
 * worse than waiting.
 */
export class SchemaUnknownError extends Error {
  readonly code = 'schema_unknown';
  constructor({ topic, partition, offset }: StoredRecord) {
    super(`the schema registry does not have the schema of record ${topic}/${partition}/${offset}`);
    this.name = 'SchemaUnknownError';
  }
}

const idIn = (value: Uint8Array): number | null =>
  value.length < HEADER_BYTES || value[0] !== 0
    ? null
    : splitRecord(Buffer.from(value.buffer, value.byteOffset, HEADER_BYTES)).schemaId;

/** A record without an id, or with a schema that was not registered here, is left unchanged. */
const stamp = (record: AppendRecord, known: KnownSchemas): AppendRecord => {
  const { value } = record;
  const schemaId = idIn(value);
  const schema = schemaId === null ? null : known.registeredAs(schemaId);
  if (!schema) return record;
  const headers = { ...record.headers, [FINGERPRINT]: schema.fingerprint };
  if (schema.wireId === schema.id) return { ...record, headers };
  const copy = Buffer.from(value);
  writeHeader(copy, schema.wireId);
  return { ...record, headers, value: copy };
};

/**
 * Replaces the record's schema id by the id under which this process knows the schema. Throws
 * `SchemaUnknownError`, `RegistryError`.
 */
const resolve = async (record: StoredRecord, known: KnownSchemas): Promise<void> => {
  const fingerprint = record.headers[FINGERPRINT];
  const schemaId = idIn(record.value);
  if (fingerprint === undefined || schemaId === null) return;
  const id = known.idOf(fingerprint) ?? (await known.look(fingerprint, schemaId));
  if (id === null) throw new SchemaUnknownError(record);
  if (id !== schemaId) writeHeader(record.value, id);
};

export type FingerprintedLog<L extends EventLog> = L & {
  /** Whether a reader waits at a record because the registry does not have its schema or does not answer. */
  waitsForSchema(): boolean;
};

/** A consumer's state for its partitions. */
type Reading = {
  /** The partitions at whose next records it waits. */
  readonly waitsAt: Set<string>;
  /** Partitions that were sought since the last poll began. */
  readonly soughtTo: Map<string, number>;
};

const nameOf = ({ topic, partition }: Pick<Batch, 'topic' | 'partition'>): string => `${topic}/${partition}`;

/**
 * Wraps a log on brokers and its schema registry, and protects against a registry that loses its data and
 * hands out an id a second time for another schema. Records carry the fingerprint of their schema, and ids
 * are unambiguous within this process. When the registry does not have a record's schema, the process
 * registers its own schemas again, and readers wait: a poll returns nothing, and a read blocks until the
 * schema is available.
 */
export const fingerprintRecords = <L extends EventLog>(
  log: L,
  registry: SchemaRegistry,
  onWait: (error: unknown) => void,
): { log: FingerprintedLog<L>; registry: SchemaRegistry } => {
  const known = createKnownSchemas(registry);
  const closing = new AbortController();
  /** For each reader, the partitions at whose next records it waits. */
  const readers = new Set<Set<string>>();
  const resolveAll = async (records: readonly StoredRecord[]): Promise<void> => {
    for (const record of records) await resolve(record, known);
  };

  const poll = async (
    consumer: Consumer,
    { waitsAt, soughtTo }: Reading,
    request: Parameters<Consumer['poll']>[0],
  ): Promise<Batch | null> => {
    soughtTo.clear();
    const batch = await consumer.poll(request);
    if (!batch) return null;
    try {
      await resolveAll(batch.records);
      waitsAt.delete(nameOf(batch));
      return batch;
    } catch (error) {
      waitsAt.add(nameOf(batch));
      onWait(error);
      // Seeks back to `from`, not to the first record, because a sink identifies a batch by where it begins.
      // Skips partitions that were sought meanwhile.
      consumer.seek({ ...batch, offset: soughtTo.get(nameOf(batch)) ?? batch.from });
      await sleep(request.waitMs);
      return null;
    }
  };

  const read: EventLog['read'] = async (request) => {
    const records = await log.read(request);
    const waitsAt = new Set<string>();
    readers.add(waitsAt);
    const wait = (error: unknown): void => {
      waitsAt.add(nameOf(request));
      onWait(error);
    };
    try {
      await retryForever(() => resolveAll(records), { signal: closing.signal, onWait: wait });
      return records;
    } finally {
      readers.delete(waitsAt);
    }
  };

  const consume: EventLog['consume'] = async (request) => {
    const consumer = await log.consume(request);
    const waitsAt = new Set<string>();
    const soughtTo = new Map<string, number>();
    readers.add(waitsAt);
    return {
      ...consumer,
      poll: (wanted) => poll(consumer, { waitsAt, soughtTo }, wanted),
      seek: (position) => {
        soughtTo.set(nameOf(position), position.offset);
        consumer.seek(position);
      },
      transact: ({ records, commits }) =>
        consumer.transact({ records: records.map((record) => stamp(record, known)), commits }),
      close: () => {
        readers.delete(waitsAt);
        return consumer.close();
      },
    };
  };

  return {
    registry: known,
    log: {
      ...log,
      append: (records) => log.append(records.map((record) => stamp(record, known))),
      read,
      consume,
      waitsForSchema: () => [...readers].some(({ size }) => size > 0),
      close: () => {
        closing.abort(new LogClosedError());
        return log.close();
      },
    },
  };
};
