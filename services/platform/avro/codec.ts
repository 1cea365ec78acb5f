import type avsc from 'avsc';
import type { SchemaRegistry } from './local-registry.ts';
import { type AvroSchema, loadSchema, loadVersions } from './schemas.ts';
import { HEADER_BYTES, splitRecord, writeHeader } from './wire-format.ts';

/** Encodes and decodes records of one schema, for events that are few. Blocks have their own encoder. */
export type Codec<T> = {
  /** The header of its records. */
  readonly schemaId: number;
  encode(value: T): Buffer;
  /** Whether a record has this schema, in this or an earlier version. */
  reads(record: Buffer): boolean;
  /**
   * Throws when the record has another schema or is damaged. Fields that earlier versions lack get their
   * defaults.
   */
  decode(record: Buffer): T;
};

/** Each codec writes into one buffer that grows to the largest record so far. It returns copies. */
const DRAFT_BYTES = 1_024;

/** Registers `schemas/avro/<name>.avsc` with its earlier versions and returns its codec. */
export const openCodec = <T>(registry: SchemaRegistry, name: string): Promise<Codec<T>> =>
  createCodec(registry, loadSchema(name), loadVersions(name));

/**
 * `versions`: all versions that records may have been written with, oldest first. `typeOf`: the TypeScript
 * form of a schema's values.
 */
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
    // Minus the number of missing bytes.
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
