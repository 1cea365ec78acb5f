import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '../replace-file.ts';
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
  readonly code = 'registry_file_unreadable';
  constructor(path: string, cause: unknown) {
    super(
      `the schema registry file ${path} cannot be read; restore it from a backup: without it no record can be decoded`,
      {
        cause,
      },
    );
    this.name = 'RegistryFileError';
  }
}

const read = (path: string): Entry[] => {
  if (!existsSync(path)) return [];
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { schemas: Entry[] }).schemas;
  } catch (cause) {
    throw new RegistryFileError(path, cause);
  }
};

/** Ids that records carry must not be lost: whatever happens meanwhile, the file is the old one or the new one. */
const write = (path: string, schemas: readonly Entry[]): void =>
  replaceFile(path, `${JSON.stringify({ schemas }, null, 2)}\n`);

/** What two texts of the same schema have in common; the fingerprint leaves out defaults, which only readers need. */
const withDefaults = ({ type }: AvroSchema): string => JSON.stringify(type.schema({ exportAttrs: true }));

/** A registry in one JSON file, for the embedded engines. Read again at each miss, since other commands write it too. */
export const openLocalRegistry = (path: string): SchemaRegistry => {
  const parsed = new Map<number, AvroSchema>();

  return {
    register: async (schema) => {
      const entries = read(path);
      const subject = entries.filter((e) => e.subject === schema.name);
      const earlier = subject.map((e) => parseSchema(e.schema));
      const known = subject[earlier.findIndex((e) => withDefaults(e) === withDefaults(schema))];
      if (known) return known.id;
      const why = whyIncompatible(schema, earlier);
      if (why !== null) throw new IncompatibleSchemaError(schema.name, why);
      const id = entries.reduce((highest, e) => Math.max(highest, e.id), 0) + 1;
      write(path, [
        ...entries,
        { id, subject: schema.name, fingerprint: schema.fingerprint, schema: schema.json },
      ]);
      return id;
    },
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
