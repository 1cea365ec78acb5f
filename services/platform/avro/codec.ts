import type avsc from 'avsc';
import type { SchemaRegistry } from './local-registry.ts';
import { type AvroSchema, loadSchema, loadVersions } from './schemas.ts';
import { HEADER_BYTES, splitRecord, writeHeader } from './wire-format.ts';

/** Values of one schema to records of the log and back; for events that are few. Blocks have their own encoder. */
export type Codec<T> = {
  /** What its own records carry. */
  readonly schemaId: number;
  encode(value: T): Buffer;
  /** Whether a record is one of its own, of this version of the schema or an earlier one. */
  reads(record: Buffer): boolean;
  /** Throws when the record is of another schema or damaged. What earlier versions lack has its default. */
  decode(record: Buffer): T;
};

/** Each codec writes into one buffer that grows to the largest record so far; what it gives out is a copy. */
const DRAFT_BYTES = 1_024;

/** Registers `schemas/avro/<name>.avsc` with its earlier versions and gives its codec. */
export const openCodec = <T>(registry: SchemaRegistry, name: string): Promise<Codec<T>> =>
  createCodec(registry, loadSchema(name), loadVersions(name));

/** `versions`: those that records may have been written with, oldest first. `typeOf`: how a schema's values look in code. */
export const createCodec = async <T>(
  registry: SchemaRegistry,
  schema: AvroSchema,
  versions: readonly AvroSchema[],
  typeOf: (schema: AvroSchema) => avsc.Type = ({ type }) => type,
): Promise<Codec<T>> => {
  const type = typeOf(schema);
  const resolvers = new Map<number, ReturnType<avsc.Type['createResolver']> | undefined>();
  for (const version of versions)
    resolvers.set(await registry.register(version), type.createResolver(typeOf(version)));
  const schemaId = await registry.register(schema);
  resolvers.set(schemaId, undefined);
  let draft = Buffer.alloc(DRAFT_BYTES);
  const encode = (value: T): Buffer => {
    const end = type.encode(value, draft, HEADER_BYTES);
    if (end >= 0) {
      writeHeader(draft, schemaId);
      return Buffer.from(draft.subarray(0, end));
    }
    // Minus what was missing.
    draft = Buffer.alloc(2 * (draft.length - end));
    return encode(value);
  };
  return {
    schemaId,
    encode,
    reads: (record) => resolvers.has(splitRecord(record).schemaId),
    decode: (record) => {
      const { schemaId: found, body } = splitRecord(record);
      if (!resolvers.has(found))
        throw new Error(`a record of schema ${found} where ${schema.name} (${schemaId}) was expected`);
      return type.fromBuffer(body, resolvers.get(found)) as T;
    },
  };
};
