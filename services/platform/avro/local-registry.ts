import { addEntry, type Entry, parseEntry, RegistryFileError, readEntries } from './registry-file.ts';
import { IncompatibleSchemaError, type SchemaRegistry } from './schema-registry.ts';
import type { AvroSchema } from './schemas.ts';
import { whyIncompatible } from './why-incompatible.ts';

export type { SchemaRegistry } from './schema-registry.ts';

type Options = {
  /** Whether something was written that ids of this registry stand in; nothing was, unless given. */
  readonly hasRecords?: () => Promise<boolean>;
};

/** The common form of two texts of one schema. The fingerprint leaves out defaults, which only readers need. */
const withDefaults = ({ type }: AvroSchema): string => JSON.stringify(type.schema({ exportAttrs: true }));

/**
 * A registry in one JSON file, for the embedded engines. Read again at each miss, since other commands write it too.
 * Also throws `RegistryFileError`: where the file is damaged, cannot be written, or is missing beside what needs it.
 */
export const openLocalRegistry = (path: string, { hasRecords }: Options = {}): SchemaRegistry => {
  const parsed = new Map<number, AvroSchema>();

  /** The id of a schema that is registered, or null. Throws `IncompatibleSchemaError`. */
  const findId = (entries: readonly Entry[], schema: AvroSchema): number | null => {
    const subject = entries.filter((e) => e.subject === schema.name);
    const earlier = subject.map((e) => parseEntry(path, e));
    const known = subject[earlier.findIndex((e) => withDefaults(e) === withDefaults(schema))];
    if (known) return known.id;
    const why = whyIncompatible(schema, earlier);
    if (why !== null) throw new IncompatibleSchemaError(schema.name, why);
    return null;
  };

  /** Otherwise ids that records carry would be given to other schemas. A writer of records has registered before. */
  const refuseLost = async (): Promise<void> => {
    if (readEntries(path).length > 0 || !(await hasRecords?.())) return;
    if (readEntries(path).length === 0) throw new RegistryFileError('registry_file_missing', path);
  };

  return {
    register: async (schema) => {
      await refuseLost();
      return (
        findId(readEntries(path), schema) ??
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
