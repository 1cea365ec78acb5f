import type { AvroSchema } from './schemas.ts';

/**
 * Assigns the schema id in a record's header, and finds the schema of an id. Engines: one JSON file, or a
 * registry with the Confluent API; both pass `schema-registry.contract.ts`.
 */
export type SchemaRegistry = {
  /**
   * The id of this schema under its name. The same schema always gets the same id. Durable when it resolves.
   * Throws `IncompatibleSchemaError`, `RegistryError`.
   */
  register(schema: AvroSchema): Promise<number>;
  /** The schema that the registry has for an id now; null when there is none. Throws `RegistryError`. */
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

/**
 * The registry is out of reach or refuses the request. The message contains neither its address nor
 * credentials.
 */
export class RegistryError extends Error {
  readonly code: 'registry_unreachable' | 'registry_refused';
  constructor(code: 'registry_unreachable' | 'registry_refused', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RegistryError';
    this.code = code;
  }
}
