import type { SchemaRegistry } from './schema-registry.ts';
import type { AvroSchema } from './schemas.ts';

/**
 * Above the ids of any registry: for a schema whose registry id already means another one in this process.
 */
const OWN_IDS_FROM = 0x8000_0000;

type Known = {
  readonly schema: AvroSchema;
  /** The id of the schema in this process; no other schema ever gets it. */
  readonly id: number;
  /** The registry's last id for it. */
  readonly wireId: number;
};

export type KnownSchemas = SchemaRegistry & {
  /** The id of the schema with this fingerprint in this process; null when it is not known yet. */
  idOf(fingerprint: string): number | null;
  /**
   * Asks the registry, and registers this process' own schemas once more; null when the registry still does
   * not have it.
   */
  look(fingerprint: string, wireId: number): Promise<number | null>;
  /** The schema registered here under this id. */
  registeredAs(id: number): { id: number; wireId: number; fingerprint: string } | null;
};

/** One process' view of a registry, in which an id means the same schema for the process' lifetime. */
export const createKnownSchemas = (registry: SchemaRegistry): KnownSchemas => {
  const byFingerprint = new Map<string, Known>();
  const byId = new Map<number, Known>();
  const registered = new Map<string, AvroSchema>();
  let ownId = OWN_IDS_FROM;

  const learn = (schema: AvroSchema, wireId: number): number => {
    const { fingerprint } = schema;
    const taken = byId.get(wireId);
    const isFree = !taken || taken.schema.fingerprint === fingerprint;
    const id = byFingerprint.get(fingerprint)?.id ?? (isFree ? wireId : ownId++);
    const known = { schema, id, wireId };
    byFingerprint.set(fingerprint, known);
    byId.set(id, known);
    return id;
  };

  const register = async (schema: AvroSchema): Promise<number> => {
    const wireId = await registry.register(schema);
    registered.set(schema.fingerprint, schema);
    return learn(schema, wireId);
  };

  return {
    register,
    schemaOf: async (id) => {
      const known = byId.get(id);
      if (known) return known.schema;
      const schema = await registry.schemaOf(id);
      // A schema with another id already keeps that one.
      return schema && learn(schema, id) === id ? schema : null;
    },
    idOf: (fingerprint) => byFingerprint.get(fingerprint)?.id ?? null,
    look: async (fingerprint, wireId) => {
      const found = await registry.schemaOf(wireId);
      if (found?.fingerprint === fingerprint) return learn(found, wireId);
      for (const schema of registered.values()) await register(schema);
      return byFingerprint.get(fingerprint)?.id ?? null;
    },
    registeredAs: (id) => {
      const known = byId.get(id);
      if (!known || !registered.has(known.schema.fingerprint)) return null;
      return { id, wireId: known.wireId, fingerprint: known.schema.fingerprint };
    },
  };
};
