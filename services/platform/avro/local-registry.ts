import { addEntry, type Entry, parseEntry, RegistryFileError, readEntries } from './registry-file.ts';
import { IncompatibleSchemaError, type SchemaRegistry } from './schema-registry.ts';
import type { AvroSchema } from './schemas.ts';
import { whyIncompatible } from './why-incompatible.ts';

export type { SchemaRegistry } from './schema-registry.ts';

type Options = {
  /** Whether records exist that use ids of this registry. False unless given. */
  readonly hasRecords?: () => Promise<boolean>;
};

/**
 * The canonical form of a schema text, with defaults. The fingerprint leaves out defaults, because only
 * readers need them.
 */
const withDefaults = (schema: AvroSchema): string => {
  const form = forms.get(schema) ?? JSON.stringify(schema.type.schema({ exportAttrs: true }));
  forms.set(schema, form);
  return form;
};
const forms = new WeakMap<AvroSchema, string>();

/**
 * A registry in one JSON file, for the embedded engines. Reads the file again at each miss, because other
 * processes write it, too. Also throws `RegistryFileError`: when the file is damaged, cannot be written, or
 * is missing although records need it.
 */
export const openLocalRegistry = (path: string, { hasRecords }: Options = {}): SchemaRegistry => {
  const parsed = new Map<number, AvroSchema>();

  /** The id of a registered schema, or null. Throws `IncompatibleSchemaError`. */
  const findId = (entries: readonly Entry[], schema: AvroSchema): number | null => {
    const subject = entries.filter((e) => e.subject === schema.name);
    const earlier = subject.map((e) => parseEntry(path, e));
    const known = subject[earlier.findIndex((e) => withDefaults(e) === withDefaults(schema))];
    if (known) return known.id;
    const why = whyIncompatible(schema, earlier);
    if (why !== null) throw new IncompatibleSchemaError(schema.name, why);
    return null;
  };

  /**
   * Without this check, ids that records carry would be given to other schemas. A writer of records has
   * always registered its schema before.
   */
  const readPresent = async (): Promise<readonly Entry[]> => {
    const entries = readEntries(path);
    if (entries.length > 0 || !(await hasRecords?.())) return entries;
    const again = readEntries(path);
    if (again.length === 0) throw new RegistryFileError('registry_file_missing', path);
    return again;
  };

  return {
    register: async (schema) => {
      const present = await readPresent();
      return (
        findId(present, schema) ??
        (await addEntry(path, (entries) => {
          const known = findId(entries, schema);
          if (known !== null) return { known };
          const id = entries.reduce((highest, e) => Math.max(highest, e.id), 0) + 1;
          const { name: subject, fingerprint, json } = schema;
          return { added: { id, subject, fingerprint, schema: json } };
        }))
      );
    },
    schemaOf: async (id) => {
      const cached = parsed.get(id);
      if (cached) return cached;
      const entry = readEntries(path).find((e) => e.id === id);
      if (!entry) return null;
      const schema = parseEntry(path, entry);
      parsed.set(id, schema);
      return schema;
    },
  };
};
