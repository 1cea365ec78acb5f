import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { type AvroSchema, parseSchema } from './schemas.ts';

/** Hands out the id that a record's header carries, and finds the schema of an id. */
export type SchemaRegistry = {
  /** The id of this schema under its name; the same schema always gets the same id. Durable when it resolves. */
  register(schema: AvroSchema): Promise<number>;
  /** The schema of an id; null when this registry never handed it out. */
  schemaOf(id: number): Promise<AvroSchema | null>;
};

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

// A crash leaves the old file or the new one, never half of one: ids that records carry must not be lost.
const write = (path: string, schemas: readonly Entry[]): void => {
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, 'w');
  writeSync(file, `${JSON.stringify({ schemas }, null, 2)}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
};

/** A registry in one JSON file, for the embedded engines. Read again at each miss, since other commands write it too. */
export const openLocalRegistry = (path: string): SchemaRegistry => {
  const parsed = new Map<number, AvroSchema>();

  return {
    register: async (schema) => {
      const entries = read(path);
      const known = entries.find((e) => e.subject === schema.name && e.fingerprint === schema.fingerprint);
      if (known) return known.id;
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
