import type { SchemaRegistry } from './schema-registry.ts';
import type { AvroSchema } from './schemas.ts';

/** Above what a registry hands out: for a schema whose id means another one in this process already. */
const OWN_IDS_FROM = 0x8000_0000;

type Known = {
  readonly schema: AvroSchema;
  /** By which this process knows the schema; no other schema ever has it here. */
  readonly id: number;
  /** By which the registry knew it last. */
  readonly wireId: number;
};

export type KnownSchemas = SchemaRegistry & {
  /** The id of the schema with this fingerprint in this process; null when it was not met yet. */
  idOf(fingerprint: string): number | null;
  /** Asks the registry, and registers what this process registered before once more; null when it still has not got it. */
  look(fingerprint: string, wireId: number): Promise<number | null>;
  /** What was registered here under this id. */
  registeredAs(id: number): { id: number; wireId: number; fingerprint: string } | null;
};

/** A registry seen by one process, to which an id means one schema only, from its first sight to its end. */
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
      // One that is known by another id already keeps that one.
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
