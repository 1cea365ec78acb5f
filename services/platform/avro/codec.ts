import type { SchemaRegistry } from './local-registry.ts';
import { type AvroSchema, loadSchema } from './schemas.ts';
import { HEADER_BYTES, splitRecord, writeHeader } from './wire-format.ts';

/** Values of one schema to records of the log and back; for events that are few. Blocks have their own encoder. */
export type Codec<T> = {
  /** What tells its records from others where a topic holds several kinds. */
  readonly schemaId: number;
  encode(value: T): Buffer;
  /** Throws when the record is of another schema or damaged. */
  decode(record: Buffer): T;
};

/** Registers `schemas/avro/<name>.avsc` and gives its codec. */
export const openCodec = async <T>(registry: SchemaRegistry, name: string): Promise<Codec<T>> => {
  const schema: AvroSchema = loadSchema(name);
  const schemaId = await registry.register(schema);
  return {
    schemaId,
    encode: (value) => {
      const record = Buffer.concat([Buffer.alloc(HEADER_BYTES), schema.type.toBuffer(value)]);
      writeHeader(record, schemaId);
      return record;
    },
    decode: (record) => {
      const { schemaId: found, body } = splitRecord(record);
      if (found !== schemaId)
        throw new Error(`a record of schema ${found} where ${name} (${schemaId}) was expected`);
      return schema.type.fromBuffer(body) as T;
    },
  };
};
