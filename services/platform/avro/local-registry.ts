import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../message-of.ts';
import { replaceFile } from '../replace-file.ts';
import { withFileLock } from '../with-file-lock.ts';
import { IncompatibleSchemaError, type SchemaRegistry } from './schema-registry.ts';
import { type AvroSchema, parseSchema } from './schemas.ts';
import { whyIncompatible } from './why-incompatible.ts';

export type { SchemaRegistry } from './schema-registry.ts';

type Entry = {
  readonly id: number;
  readonly subject: string;
  readonly fingerprint: string;
  readonly schema: string;
};

export class RegistryFileError extends Error {
  readonly code: 'registry_file_unreadable' | 'registry_file_unwritable';
  constructor(code: RegistryFileError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RegistryFileError';
    this.code = code;
  }
}

const read = (path: string): Entry[] => {
  if (!existsSync(path)) return [];
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { schemas: Entry[] }).schemas;
  } catch (cause) {
    throw new RegistryFileError(
      'registry_file_unreadable',
      `the schema registry file ${path} cannot be read; restore it from a backup: without it no record can be decoded`,
      { cause },
    );
  }
};

/** Ids that records carry must not be lost: whatever happens meanwhile, the file is the old one or the new one. */
const write = (path: string, schemas: readonly Entry[]): void =>
  replaceFile(path, `${JSON.stringify({ schemas }, null, 2)}\n`);

/** Between reading the ids and writing one more, no other process may do the same. */
const inTurn = async <T>(path: string, body: () => T): Promise<T> => {
  try {
    return await withFileLock(`${path}.lock`, body);
  } catch (cause) {
    if (cause instanceof RegistryFileError || cause instanceof IncompatibleSchemaError) throw cause;
    throw new RegistryFileError(
      'registry_file_unwritable',
      `the schema registry file ${path} cannot be written and stays as it is (${messageOf(cause)})`,
      { cause },
    );
  }
};

/** What two texts of the same schema have in common; the fingerprint leaves out defaults, which only readers need. */
const withDefaults = ({ type }: AvroSchema): string => JSON.stringify(type.schema({ exportAttrs: true }));

/** The id of a schema that is registered, or null. Throws `IncompatibleSchemaError`. */
const findId = (entries: readonly Entry[], schema: AvroSchema): number | null => {
  const subject = entries.filter((e) => e.subject === schema.name);
  const earlier = subject.map((e) => parseSchema(e.schema));
  const known = subject[earlier.findIndex((e) => withDefaults(e) === withDefaults(schema))];
  if (known) return known.id;
  const why = whyIncompatible(schema, earlier);
  if (why !== null) throw new IncompatibleSchemaError(schema.name, why);
  return null;
};

const add = (path: string, schema: AvroSchema): number => {
  const entries = read(path);
  const known = findId(entries, schema);
  if (known !== null) return known;
  const id = entries.reduce((highest, e) => Math.max(highest, e.id), 0) + 1;
  write(path, [
    ...entries,
    { id, subject: schema.name, fingerprint: schema.fingerprint, schema: schema.json },
  ]);
  return id;
};

/** A registry in one JSON file, for the embedded engines. Read again at each miss, since other commands write it too. */
export const openLocalRegistry = (path: string): SchemaRegistry => {
  const parsed = new Map<number, AvroSchema>();

  return {
    register: async (schema) => findId(read(path), schema) ?? (await inTurn(path, () => add(path, schema))),
    schemaOf: async (id) => {
      const cached = parsed.get(id);
      if (cached) return cached;
      const entry = read(path).find((e) => e.id === id);
      if (!entry) return null;
      const schema = parseSchema(entry.schema);
      parsed.set(id, schema);
      return schema;
    },
  };
};
