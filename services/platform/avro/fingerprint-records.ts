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

/** The header in which a record says which schema its body was written with, whatever its id means by now. */
const FINGERPRINT = 'schema-fingerprint';

/** The registry does not have the schema of a record. It may only be late: decoding with a guess would be worse. */
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

/** A record without an id, or of a schema that was not registered here, goes as it is. */
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

/** Writes the id by which this process knows the record's schema into it. Throws `SchemaUnknownError`, `RegistryError`. */
const resolve = async (record: StoredRecord, known: KnownSchemas): Promise<void> => {
  const fingerprint = record.headers[FINGERPRINT];
  const schemaId = idIn(record.value);
  if (fingerprint === undefined || schemaId === null) return;
  const id = known.idOf(fingerprint) ?? (await known.look(fingerprint, schemaId));
  if (id === null) throw new SchemaUnknownError(record);
  if (id !== schemaId) writeHeader(record.value, id);
};

export type FingerprintedLog<L extends EventLog> = L & {
  /** Whether somebody waits at a record because the registry does not have its schema, or does not answer. */
  waitsForSchema(): boolean;
};

/** What a consumer remembers of its partitions. */
type Reading = {
  /** At whose next records it waits. */
  readonly waitsAt: Set<string>;
  /** Where it was set since the last poll began. */
  readonly soughtTo: Map<string, number>;
};

const nameOf = ({ topic, partition }: Pick<Batch, 'topic' | 'partition'>): string => `${topic}/${partition}`;

/**
 * A log on brokers and the registry of its schemas, made safe against a registry that forgets: it may hand out an id a
 * second time, for another schema. Records carry their schema's fingerprint, and the ids that this process sees in them
 * are unambiguous for as long as it runs. Where the registry does not have a record's schema, the schemas of this
 * process are registered again, and reading waits: a poll gives nothing, a read takes until the registry has it.
 */
export const fingerprintRecords = <L extends EventLog>(
  log: L,
  registry: SchemaRegistry,
  onWait: (error: unknown) => void,
): { log: FingerprintedLog<L>; registry: SchemaRegistry } => {
  const known = createKnownSchemas(registry);
  const closing = new AbortController();
  /** Of each reader, the partitions at whose next records it waits. */
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
      // Not to its first record: who stores what follows his last one knows the batch by where it begins. Nor behind the back of
      // who has set it elsewhere meanwhile.
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
