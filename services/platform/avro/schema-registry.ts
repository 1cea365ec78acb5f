import type { AvroSchema } from './schemas.ts';

/**
 * Hands out the id that a record's header carries, and finds the schema of an id. Engines: one JSON file, or a registry
 * that speaks the Confluent API; both pass `schema-registry.contract.ts`.
 */
export type SchemaRegistry = {
  /**
   * The id of this schema under its name; the same schema always gets the same id. Durable when it resolves.
   * Throws `IncompatibleSchemaError`, `RegistryError`.
   */
  register(schema: AvroSchema): Promise<number>;
  /** The schema of an id as the registry has it now; null when it never handed it out. Throws `RegistryError`. */
  schemaOf(id: number): Promise<AvroSchema | null>;
};

/** This version of the schema cannot read records of an earlier one. */
export class IncompatibleSchemaError extends Error {
  readonly code = 'schema_incompatible';
  constructor(name: string, why: string) {
    super(`${name} cannot read what its earlier versions wrote (BACKWARD_TRANSITIVE): ${why}`);
    this.name = 'IncompatibleSchemaError';
  }
}

/** The registry is out of reach or refuses to work with us; the message holds neither its address nor credentials. */
export class RegistryError extends Error {
  readonly code: 'registry_unreachable' | 'registry_refused';
  constructor(code: 'registry_unreachable' | 'registry_refused', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RegistryError';
    this.code = code;
  }
}
