import avsc from 'avsc';
import { type Codec, createCodec } from './codec.ts';
import type { SchemaRegistry } from './local-registry.ts';
import { type AvroSchema, loadSchema, loadVersions } from './schemas.ts';

/** A union of records in TypeScript: the record's name beside its fields. */
type Tagged = { readonly type: string };

const NAMESPACE = 'spoor.';

const toCamel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Uses the TypeScript names in the schema, so that no value's fields must be renamed. */
const inCamelCase = ({ json }: AvroSchema): avsc.Type =>
  avsc.Type.forSchema(JSON.parse(json, (key, value) => (key === 'name' ? toCamel(value) : value)));

/**
 * The codec of a schema in which the field `union` is a union of records: `{ type: 'Name', …fields }` in code,
 * `{ 'spoor.Name': { …fields } }` in Avro. All fields are in camel case.
 */
export const openTaggedCodec = async <U extends string, T extends { readonly [K in U]: Tagged }>(
  registry: SchemaRegistry,
  name: string,
  union: U,
): Promise<Codec<T>> => {
  const [schema, versions] = [loadSchema(name), loadVersions(name)];
  const codec = await createCodec<Record<string, object>>(registry, schema, versions, inCamelCase);
  return {
    ...codec,
    encode: (value) => codec.encode({ ...value, [union]: { [NAMESPACE + value[union].type]: value[union] } }),
    decode: (record) => {
      const value = codec.decode(record);
      for (const [branch, fields] of Object.entries(value[union] ?? {}))
        value[union] = { ...fields, type: branch.slice(NAMESPACE.length) };
      // The schema has checked the fields, but only the caller knows their TypeScript type.
      return value as unknown as T;
    },
  };
};
